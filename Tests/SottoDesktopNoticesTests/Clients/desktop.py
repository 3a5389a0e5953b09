"""A desktop's notification service (Desktop Notifications Specification 1.2) that shows nothing: each call becomes a line of JSON on standard output.

Argument: "usual", "deaf" (never answers), or "probe" (only whether it could run).
"""

import json
import sys

from gi.repository import Gio, GLib

INTERFACE = """
<node><interface name="org.freedesktop.Notifications">
  <method name="Notify">
    <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="as" direction="in"/><arg type="a{sv}" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="out"/>
  </method>
  <method name="GetCapabilities"><arg type="as" direction="out"/></method>
  <method name="GetServerInformation"><arg type="s" direction="out"/><arg type="s" direction="out"/><arg type="s" direction="out"/><arg type="s" direction="out"/></method>
</interface></node>
"""
last = 30


def say(**fields):
    print(json.dumps(fields), flush=True)


def called(connection, sender, path, interface, method, arguments, invocation):
    global last
    if method == "GetCapabilities":
        invocation.return_value(GLib.Variant("(as)", (["body", "body-markup"],)))
    elif method == "GetServerInformation":
        invocation.return_value(GLib.Variant("(ssss)", ("recorder", "tests", "1", "1.2")))
    else:
        app, replaces, icon, summary, body, actions, hints, timeout = arguments.unpack()
        if not replaces:
            last += 1
        number = replaces or last
        say(app=app, replaces=replaces, number=number, summary=summary, body=body, actions=actions, hints=sorted(hints), entry=hints.get("desktop-entry"))
        if sys.argv[1] != "deaf":
            invocation.return_value(GLib.Variant("(u)", (number,)))


if sys.argv[1] != "probe":
    Gio.bus_own_name(
        Gio.BusType.SESSION, "org.freedesktop.Notifications", Gio.BusNameOwnerFlags.NONE,
        lambda connection, name: connection.register_object("/org/freedesktop/Notifications", Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0], called, None, None),
        lambda connection, name: say(ready=True), None)
    GLib.MainLoop().run()
