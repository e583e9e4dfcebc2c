#pragma once
#include "db/database.h"
