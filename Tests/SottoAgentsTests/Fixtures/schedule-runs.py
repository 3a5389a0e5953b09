#!/usr/bin/env python3
"""Makes schedule-runs.json: when schedules run, worked out by Python's zoneinfo alone. Needs Debian's tzdata; prints to standard output.

A local time is looked up with fold=0, the first of two. One that does not exist is found by brute force: the first minute of UTC at which the
wall clock shows that time or a later one.
"""
import calendar
import json
import subprocess
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

FIRST, LAST = date(2016, 1, 1), date(2028, 1, 1)
UTC = timezone.utc
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
CASES = {
    "Europe/Berlin": ["day at 02:00", "day at 02:30", "day at 03:00", "day at 09:00", "weekday at 08:30", "sun at 02:30", "mon,wed,fri at 07:15",
                      "month on 31 at 02:30", "month on 1 at 09:00", "month on 29 at 00:00"],
    "America/New_York": ["day at 02:30", "day at 01:30", "day at 18:00", "sun at 02:00", "sat,sun at 01:59", "month on 31 at 09:00"],
    "Australia/Lord_Howe": ["day at 01:45", "day at 02:00", "day at 02:15", "day at 02:29", "day at 02:30", "sun at 02:15", "month on 30 at 12:00"],
    "Asia/Kathmandu": ["day at 00:00", "day at 09:00", "mon,wed,fri at 07:15", "month on 31 at 23:59"],
    "America/Sao_Paulo": ["day at 00:00", "day at 00:30", "day at 01:00", "day at 23:30", "sun at 00:30", "sat at 23:00", "month on 1 at 09:00"],
    "Antarctica/Troll": ["day at 01:00", "day at 02:00", "sun at 01:30"],
    "Europe/London": ["day at 01:30", "weekday at 08:30"],
    "Asia/Tehran": ["day at 00:30", "day at 23:30"],
    "UTC": ["day at 09:00", "month on 31 at 02:30"],
}


def moment(zone, day, hour, minute):
    local = datetime(day.year, day.month, day.day, hour, minute)
    first = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if first.astimezone(zone).replace(tzinfo=None) == local:
        second = local.replace(tzinfo=zone, fold=1).astimezone(UTC)
        return int(first.timestamp()), "twice" if second != first else "once"
    probe = first - timedelta(hours=6)
    while probe.astimezone(zone).replace(tzinfo=None) < local:
        probe += timedelta(minutes=1)
    return int(probe.timestamp()), "skipped"


def days_of(what):
    day = FIRST
    while day < LAST:
        last = calendar.monthrange(day.year, day.month)[1]
        if what == "day" or what == "weekday" and day.weekday() < 5 or DAYS[day.weekday()] in what.split(","):
            yield day
        elif what.startswith("month on ") and day.day == min(int(what.split()[-1]), last):
            yield day
        day += timedelta(days=1)


def packed(runs):
    """The first, then [seconds to the next, how often]."""
    steps = []
    for before, after in zip(runs, runs[1:]):
        if steps and steps[-1][0] == after - before:
            steps[-1][1] += 1
        else:
            steps.append([after - before, 1])
    return [runs[0]] + steps


def cases():
    for name, rules in CASES.items():
        zone = ZoneInfo(name)
        for rule in rules:
            what, time = rule.split(" at ")
            hour, minute = map(int, time.split(":"))
            found = [moment(zone, day, hour, minute) for day in days_of(what)]
            yield {"zone": name, "rule": rule, "skipped": sum(kind == "skipped" for _, kind in found),
                   "twice": sum(kind == "twice" for _, kind in found), "runs": packed([run for run, _ in found])}


def changes():
    """Every quarter of an hour from three hours before to three after each change of the clock."""
    for name in CASES:
        zone = ZoneInfo(name)
        hour = datetime(FIRST.year, 1, 1, tzinfo=UTC)
        while hour.date() < LAST:
            after = hour + timedelta(hours=1)
            if hour.astimezone(zone).utcoffset() != after.astimezone(zone).utcoffset():
                local = hour.astimezone(zone).replace(tzinfo=None, minute=0) - timedelta(hours=3)
                rows = []
                for quarter in range(28):
                    wall = local + timedelta(minutes=15 * quarter)
                    rows.append([wall.strftime("%Y-%m-%d %H:%M"), *moment(zone, wall.date(), wall.hour, wall.minute)])
                yield {"zone": name, "times": rows}
            hour = after


version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "tzdata"], capture_output=True, text=True).stdout
print(json.dumps({"origin": f"schedule-runs.py, Python's zoneinfo, tzdata {version}", "cases": list(cases()), "changes": list(changes())},
                 separators=(",", ":")))
