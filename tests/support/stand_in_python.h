// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace fuselab::test {

// Writes a program that speaks as the Python helper does and returns its path. `body` is Python, one line or a block of lines that
// are indented by four, and answers one request: `request` and `blob` are there, `send(message, blob)` answers.
inline std::filesystem::path stand_in_python(const std::filesystem::path& folder, const std::string& body,
                                             const std::string& protocol = "1") {
  std::string text = R"(#!/usr/bin/env python3
import json, os, socket, struct, sys, time
channel = socket.socket(fileno=int(sys.argv[4]))
def send(message, blob=b"", text=None):
    text = json.dumps(message).encode() if text is None else text
    channel.sendall(struct.pack("<II", len(text), len(blob)) + text + blob)
def receive():
    head = channel.recv(8, socket.MSG_WAITALL)
    if len(head) < 8:
        sys.exit(0)
    text, blob = struct.unpack("<II", head)
    return json.loads(channel.recv(text, socket.MSG_WAITALL)), channel.recv(blob, socket.MSG_WAITALL) if blob else b""
send({"ok": True, "protocol": PROTOCOL, "python": "3.99", "program": "stand-in"})
while True:
    request, blob = receive()
)";
  text.replace(text.find("PROTOCOL"), 8, protocol);
  const std::filesystem::path path = folder / "stand_in";
  std::ofstream(path) << text << "    " << body << "\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

}  // namespace fuselab::test
