#pragma once
#include "backends/gpu/stream/vendor.h"
