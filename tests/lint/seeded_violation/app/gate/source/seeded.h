#include "db/connection/trust.h"
#include "db/rows/gain_rows.h"
