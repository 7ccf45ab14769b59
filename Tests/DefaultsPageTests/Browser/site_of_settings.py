"""The page of all settings, served as a CGI program by lighttpd on the loopback interface."""

import http.server
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

WRAPPER = """#!/bin/sh
{exports}
exec '{program}' page
"""

CONFIGURATION = """
server.document-root = "{folder}/www"
server.bind = "127.0.0.1"
server.port = {port}
server.modules = ("mod_cgi")
server.stream-response-body = 2
server.errorlog = "{folder}/errors"
cgi.assign = (".cgi" => "")
cgi.execute-x-only = "enable"
"""


def free_port():
  with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    return probe.getsockname()[1]


class Site:
  """A folder of settings, and a web server that shows them."""

  def __init__(self, program, managed="{}", count=None):
    self.program = program
    self.folder = Path(tempfile.mkdtemp(prefix="DefaultsPage-"))
    (self.folder / "www").mkdir()
    (self.folder / "managed.json").write_text(managed)
    self.variables = {"PAGE_FOLDER": str(self.folder)}
    if count:
      self.variables["PAGE_COUNT"] = str(count)
    wrapper = self.folder / "www/settings.cgi"
    exports = "\n".join(f"export {name}='{value}'" for name, value in self.variables.items())
    wrapper.write_text(WRAPPER.format(exports=exports, program=program))
    wrapper.chmod(0o755)
    self.port = free_port()
    configuration = self.folder / "lighttpd.conf"
    configuration.write_text(CONFIGURATION.format(folder=self.folder, port=self.port))
    server = shutil.which("lighttpd", path=f"{os.environ['PATH']}:/usr/sbin")
    self.server = subprocess.Popen([server, "-D", "-f", str(configuration)])
    self.url = f"http://127.0.0.1:{self.port}/settings.cgi"
    for _ in range(200):
      try:
        urllib.request.urlopen(self.url).close()
        return
      except OSError:
        time.sleep(0.05)
    raise RuntimeError(f"lighttpd doesn't answer: {(self.folder / 'errors').read_text()}")

  def command(self, *arguments):
    """Runs the settings command in a process of its own, and returns its output."""
    result = subprocess.run(
      [self.program, *arguments], env={**os.environ, **self.variables}, capture_output=True,
      text=True)
    if result.returncode:
      raise RuntimeError(result.stderr)
    return result.stdout.rstrip("\n")

  def value(self, name):
    return self.command("get", name)

  def close(self):
    self.server.terminate()
    self.server.wait()
    shutil.rmtree(self.folder)


class OtherSite:
  """Another site, which serves one page."""

  def __init__(self, html):
    class Handler(http.server.BaseHTTPRequestHandler):
      def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(html.encode())

      def log_message(self, *_):
        pass

    self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    self.url = f"http://127.0.0.1:{self.server.server_port}/"
    threading.Thread(target=self.server.serve_forever, daemon=True).start()

  def close(self):
    self.server.shutdown()
    self.server.server_close()
