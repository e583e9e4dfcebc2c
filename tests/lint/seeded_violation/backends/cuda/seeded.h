#pragma once
#include "backends/opencl/opencl_device.h"
