#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""skipped_test.py TESTS_FOLDER: the summary of what was left out counts cases by reason and puts first what the machine lacks."""
import sys
from xml.etree import ElementTree

sys.path.insert(0, sys.argv[1])
import skipped  # noqa: E402  it lies in that folder

REPORT = """<testsuite>
<testcase name="a"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/><system-out>[ RUN ] a
/x/a_test.cpp:3: Skipped
another seed's turn

[  SKIPPED ] a</system-out></testcase>
<testcase name="b"><skipped message=""/><system-out>/x/b_test.cpp:3: Skipped
SKIPPED: no CUDA compiler: not found; 12 cases

[  SKIPPED ] b</system-out></testcase>
<testcase name="c"><skipped message=""/><system-out>/x/c_test.cpp:3: Skipped
SKIPPED: no CUDA compiler: not found; 1 case</system-out></testcase>
<testcase name="d"><system-out>fine; SKIPPED: yaml is not here</system-out></testcase>
<testcase name="e"><system-out>fine</system-out></testcase>
</testsuite>"""

told = skipped.summary(ElementTree.fromstring(REPORT).iter("testcase"))
wanted = ["SKIPPED 13 cases: no CUDA compiler: not found", "SKIPPED 1 case: yaml is not here", "SKIPPED 1 case: another seed's turn"]
print("reasons and their cases are counted" if told == wanted else f"{told} instead of {wanted}")
sys.exit(told != wanted)
