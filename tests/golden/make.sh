#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make.sh - how the files of this folder were made, by the tools of 0.1.0 (stream version 1.0). They are never made anew:
# each release reads the files of all releases before it. A release that changes the stream adds its own.
set -e
frame --elements 1 -o full.h5
frame --elements 1 --modal -o modal.h5
reduce --method cb --modes 2 --interface 1 full.h5 -o reduced.h5
invariants reduced.h5 -o invariants.h5
