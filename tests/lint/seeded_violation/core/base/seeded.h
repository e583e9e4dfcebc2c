#pragma once
#include <db/database.h>
#include "../../db/database.h"
#include "nlohmann/json.hpp"
