#pragma once
#include "app/engine/tune/device_tuner.h"
