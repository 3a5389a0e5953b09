// Tests of the app's pure parts; they run in the browser that the app runs in, against the modules that the server hands out.
const tests = [];
const test = (name, body) => tests.push({ name, body });
const equal = (one, other, words = "") => {
  const left = JSON.stringify(one);
  const right = JSON.stringify(other);
  if (left !== right) throw new Error(`${words} ${left} is not ${right}`);
};
const load = (path) => import(path);

test("jobs: a stale account never replaces a newer one", async () => {
  const { noJobs, reduceJobs } = await load("/state/jobs.js");
  let state = reduceJobs(noJobs, { type: "asked", query: "", filter: "" });
  state = reduceJobs(
    state,
    {
      type: "page", query: "", filter: "", isFirst: true, jobs: [{ id: 1, title: "One", state: "completed", revision: 9 }], schedules: [], next: null,
    },
  );
  const later = reduceJobs(state, { type: "job", job: { id: 1, title: "One", state: "running", revision: 8 } });
  equal(later.jobs[0].state, "completed");
  equal(reduceJobs(state, { type: "job", job: { id: 1, title: "One", state: "failed", revision: 10 } }).jobs[0].state, "failed");
});

test("jobs: an answer to an earlier search changes nothing", async () => {
  const { noJobs, reduceJobs } = await load("/state/jobs.js");
  let state = reduceJobs(noJobs, { type: "asked", query: "a", filter: "" });
  state = reduceJobs(state, { type: "asked", query: "ab", filter: "" });
  equal(
    reduceJobs(state, { type: "page", query: "a", filter: "", isFirst: true, jobs: [{ id: 1, title: "a", state: "queued" }], next: null }) === state,
    true,
  );
});

test("jobs: pages join without doubles, newest first, and asking anew keeps what was paged in", async () => {
  const { noJobs, reduceJobs } = await load("/state/jobs.js");
  const job = (id) => ({ id, title: `Job ${id}`, state: "completed", revision: id });
  let state = reduceJobs(noJobs, { type: "asked", query: "", filter: "" });
  state = reduceJobs(state, { type: "page", query: "", filter: "", isFirst: true, jobs: [job(6), job(5)], schedules: [], next: 5 });
  state = reduceJobs(state, { type: "page", query: "", filter: "", isFirst: false, jobs: [job(5), job(4), job(3)], next: 3 });
  equal(state.jobs.map((one) => one.id), [6, 5, 4, 3]);
  state = reduceJobs(state, { type: "page", query: "", filter: "", isFirst: true, jobs: [job(7), job(6)], schedules: [], next: 6 });
  equal(state.jobs.map((one) => one.id), [7, 6, 5, 4, 3]);
  equal(state.next, 3);
  // One that is gone at the server does not stay on the first page.
  state = reduceJobs(state, { type: "page", query: "", filter: "", isFirst: true, jobs: [job(7), job(5)], schedules: [], next: 5 });
  equal(state.jobs.map((one) => one.id), [7, 5, 4, 3]);
});

test("jobs: live events keep to what is searched for", async () => {
  const { noJobs, reduceJobs } = await load("/state/jobs.js");
  let state = reduceJobs(noJobs, { type: "asked", query: "quota", filter: "queued,running" });
  state = reduceJobs(state, { type: "page", query: "quota", filter: "queued,running", isFirst: true, jobs: [], schedules: [], next: null });
  state = reduceJobs(state, { type: "job", job: { id: 2, title: "Something else", state: "running" } });
  equal(state.jobs.length, 0);
  state = reduceJobs(state, { type: "job", job: { id: 3, title: "Disk QUOTA limits", state: "running" } });
  equal(state.jobs.length, 1);
  equal(reduceJobs(state, { type: "job", job: { id: 3, title: "Disk QUOTA limits", state: "completed" } }).jobs.length, 0);
});

test("one key: a tap switches, a hold talks, a repeat is not a press", async () => {
  const { idlePress, press } = await load("/state/press.js");
  const run = (events) => {
    let state = idlePress;
    const effects = [];
    for (const [type, at] of events) {
      const result = press(state, { type, at });
      state = result.state;
      if (result.effect) effects.push(result.effect);
    }
    return { effects, listens: state.listens };
  };
  equal(run([["down", 0], ["up", 100]]), { effects: ["start"], listens: true });
  equal(run([["down", 0], ["up", 100], ["down", 2000], ["up", 2100]]), { effects: ["start", "stop"], listens: false });
  equal(run([["down", 0], ["down", 400], ["down", 800], ["up", 1500]]), { effects: ["start", "stop"], listens: false });
  // The speaker paused while the key is still held: letting go does not begin anew.
  equal(run([["down", 0], ["ended", 1200], ["up", 1500]]), { effects: ["start"], listens: false });
  equal(run([["up", 5]]), { effects: [], listens: false });
});

test("transcripts: finals settle, breaks keep what was on its way, a take mends it", async () => {
  const { heardText, nothingHeard, reduceHeard } = await load("/state/transcript.js");
  let state = nothingHeard;
  const tell = (message) => { state = reduceHeard(state, message); };
  tell({ type: "ready", take: "a" });
  tell({ type: "partial", committed: "the north", tail: "wind", start: 0 });
  equal([state.committed, state.tail], ["the north", "wind"]);
  tell({ type: "final", text: "The north wind.", start: 0.1, end: 1.2 });
  equal([heardText(state), state.tail], ["The north wind.", ""]);
  tell({ type: "partial", committed: "and", tail: "the sun", start: 1.4 });
  tell({ type: "broken", seconds: 3 });
  equal(heardText(state), "The north wind. and the sun");
  tell({ type: "ready", take: "b" });
  tell({ type: "final", text: "Were disputing.", start: 0.5, end: 1.5 });
  equal(state.segments[2].start, 3.5);
  tell({ type: "take", take: "a", text: "The north wind and the sun" });
  equal(heardText(state), "The north wind and the sun Were disputing.");
  tell({ type: "final", text: "  ", start: 0, end: 0 });
  equal(state.segments.length, 2);
});

test("subtitles have the form that their formats want", async () => {
  const { srt, vtt } = await load("/state/transcript.js");
  const segments = [{ text: "One <two> & three", start: 0, end: 1.5 }, { text: "Four", start: 3661.0005, end: 3662.25 }];
  equal(srt(segments), "1\n00:00:00,000 --> 00:00:01,500\nOne <two> & three\n\n2\n01:01:01,001 --> 01:01:02,250\nFour\n");
  equal(vtt(segments), "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nOne &lt;two&gt; &amp; three\n\n01:01:01.001 --> 01:01:02.250\nFour\n");
});

test("dictated text goes in at the caret with the spaces it needs", async () => {
  const { insertion } = await load("/state/transcript.js");
  const put = (text, start, end, spoken) => {
    const { insert } = insertion(text, start, end, spoken);
    return text.slice(0, start) + insert + text.slice(end);
  };
  equal(put("", 0, 0, " Hello. "), "Hello.");
  equal(put("Hello.", 6, 6, "And more"), "Hello. And more");
  equal(put("one three", 4, 4, "two"), "one two three");
  equal(put("one three", 3, 3, "two"), "one two three");
  equal(put("one (", 5, 5, "two"), "one (two");
  equal(put("keep this word", 5, 9, "that"), "keep that word");
  equal(put("wait", 4, 4, ", what"), "wait, what");
});

test("waiting grows, is bounded, and differs by chance", async () => {
  const { backoff } = await load("/state/backoff.js");
  equal([backoff(1, 0), backoff(1, 0.999), backoff(50, 0.999) <= 15000, backoff(50, 0) >= 7500], [250, 500, true, true]);
});

test("a live connection comes back after its last event and tells when events are missing", async () => {
  const { createLive } = await load("/net/live.js");
  const sockets = [];
  class Socket {
    constructor(address) { this.address = address; sockets.push(this); }
    close() { this.onclose?.({}); }
  }
  const told = [];
  const states = [];
  const live = createLive(
    { address: (after) => `/live?after=${after ?? ""}`, heard: (event) => told.push(event), changed: (state) => states.push(state), Socket }
  );
  live.start("e-7");
  equal(sockets[0].address, "/live?after=e-7");
  sockets[0].onopen();
  sockets[0].onmessage({ data: JSON.stringify({ id: "e-8", event: "job", data: {} }) });
  sockets[0].onmessage({ data: JSON.stringify({ event: "heartbeat" }) });
  sockets[0].onmessage({ data: "not json" });
  sockets[0].onclose({});
  live.nudge();
  equal(sockets[1].address, "/live?after=e-8");
  // What the first connection still says is of yesterday.
  sockets[0].onmessage({ data: JSON.stringify({ id: "e-3", event: "job", data: {} }) });
  sockets[1].onopen();
  sockets[1].onmessage({ data: JSON.stringify({ id: "e-20", event: "reset", data: {} }) });
  live.stop();
  equal(told, ["job", "reset"]);
  equal(states, ["open", "connecting", "open"]);
});

test("the outbox sends again with the same token, keeps over a reload, and stops at a refusal", async () => {
  const { createOutbox } = await load("/net/outbox.js");
  const { ApiError } = await load("/net/client.js");
  const kept = new Map();
  const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
  const sent = [];
  let answer = () => { throw new ApiError("away"); };
  const make = () => createOutbox({ storage, changed: () => {}, deliver: async (entry) => { sent.push(entry.token); return answer(); } });
  const outbox = make();
  let failed = null;
  try { await outbox.add("/api/agents", { question: "Q" }); } catch (error) { failed = error; }
  equal([failed.isAway, outbox.entries().length], [true, 1]);
  const again = make();
  equal(again.entries()[0].body.question, "Q");
  answer = () => ({ job: { id: 1 } });
  await again.flush();
  equal([again.entries().length, sent.length, sent[0] === sent[1]], [0, 2, true]);
  answer = () => { throw new ApiError("no", { status: 422 }); };
  try { await again.add("/api/agents", { question: "R" }); } catch { /* Expected. */ }
  await again.flush();
  equal([sent.length, again.entries()[0].isRefused], [3, true]);
});

test("sound that waits is bounded, and what went is known", async () => {
  const { createSpool } = await load("/audio/spool.js");
  const spool = createSpool(10);
  for (let index = 0; index < 4; index += 1) spool.push(new Uint8Array(4).fill(index).buffer);
  equal([spool.bytes(), spool.dropped(), new Uint8Array(spool.take())[0]], [8, 8, 2]);
});

test("16-bit sound is clipped, not wrapped, and a WAV file says what it holds", async () => {
  const { fromPCM, meterHeight, toPCM, wav } = await load("/audio/pcm.js");
  equal([...toPCM(new Float32Array([0, 1, -1, 2, -2, 0.5]))], [0, 32767, -32768, 32767, -32768, 16384]);
  equal([...fromPCM(new Int16Array([0, -32768, 16384]))], [0, -1, 0.5]);
  const bytes = new DataView(await wav([new Int16Array([1, 2]), new Int16Array([3])], 24000).arrayBuffer());
  equal([bytes.byteLength, bytes.getUint32(24, true), bytes.getUint32(40, true), bytes.getInt16(48, true)], [50, 24000, 6, 3]);
  equal([meterHeight(0), meterHeight(1), Math.round(meterHeight(0.001) * 100)], [0, 1, 0]);
});

test("speech: pieces join on the clock, and after running dry enough is waited for", async () => {
  const { added, firstOf, heldOf, nextStart } = await load("/state/timeline.js");
  equal(nextStart({ cursor: 5, now: 4, lead: 0.06, buffered: 0.1, wanted: 0.4, isComplete: false }), { at: 5, isDry: false });
  equal(nextStart({ cursor: 5, now: 5.2, lead: 0.06, buffered: 0.1, wanted: 0.4, isComplete: false }), null);
  equal(nextStart({ cursor: 5, now: 5.5, lead: 0.5, buffered: 0.4, wanted: 0.4, isComplete: false }), { at: 6, isDry: true });
  equal(nextStart({ cursor: 5, now: 5.5, lead: 0.5, buffered: 0.1, wanted: 0.4, isComplete: true }), { at: 6, isDry: true });
  let pieces = added(added(added([], 0, 1), 0, 0.5), 1, 2);
  equal([pieces[2].start, firstOf(pieces, 1), firstOf(pieces, 2), heldOf(pieces, 0)], [1.5, 2, -1, 1.5]);
});

test("microphone problems are told apart", async () => {
  const { microphoneProblem } = await load("/audio/problems.js");
  const code = (facts) => microphoneProblem({ isSecure: true, hasDevices: true, ...facts }).code;
  const refusal = (name, message = "") => ({ error: { name, message } });
  equal([
    code({ isSecure: false }), code({ hasDevices: false }), code({ ...refusal("NotAllowedError"), permission: "denied" }),
    code({ ...refusal("NotAllowedError"), permission: "prompt" }),
    code(refusal("NotAllowedError", "Permission dismissed")), code(refusal("NotAllowedError", "Permission denied by system")),
    code(refusal("NotFoundError")), code(refusal("NotReadableError")), code(refusal("TypeError")),
  ], ["insecure", "unsupported", "denied", "dismissed", "dismissed", "system", "none", "taken", "failed"]);
});

test("markup of findings: only what is allowed comes through", async () => {
  const { findings, webAddress } = await load("/components/findings.js");
  const { create, h } = await load("/components/dom.js");
  const shown = (markup) => create(
    h("div", null, findings(markup, { level: 3, citation: (number) => h("button", { class: "citation" }, number) }))
  ).innerHTML;
  const evil = [
    "<script>alert(1)</scr" + "ipt><p>a</p>", "<p onclick='alert(1)' style='color:red'>a</p>", "<img src=x onerror=alert(1)><p>a</p>",
    "<p><a href='javascript:alert(1)'>a</a></p>", "<p><a href=' JaVaScRiPt:alert(1)'>a</a></p>",
    "<p><a href='data:text/html,x'>a</a></p>", "<svg><script>alert(1)</scr" + "ipt></svg><p>a</p>",
    "<math><mi xlink:href='javascript:1'></mi></math><p>a</p>", "<iframe srcdoc='x'></iframe><p>a</p>", "<form action=/x><input></form><p>a</p>",
    "<style>*{}</style><p>a</p>", "<p><a href='#/settings/storage'>a</a></p>", "<p><a href='/api/data/export'>a</a></p>",
    "<template><p>b</p></template><p>a</p>", "<base href=//evil><p>a</p>",
  ];
  for (const markup of evil) equal(shown(markup), "<p>a</p>", markup);
  equal(shown("<h1>T</h1><h2>U</h2>"), "<h3>T</h3><h4>U</h4>");
  equal(shown('<p>x <a href="#source-2" class="citation" data-source="2">[2]</a></p>'), '<p>x <button class="citation">2</button></p>');
  equal(
    shown('<p><a href="https://example.org/">e</a></p>'), '<p><a href="https://example.org/" target="_blank" rel="noopener noreferrer">e</a></p>',
  );
  equal([webAddress("file:///etc/passwd"), webAddress("//evil"), webAddress("http://a.example/b")], [null, null, "http://a.example/b"]);
});

test("a citation finds its claim's passages and the sentence in them", async () => {
  const { citedPassages, statedAt } = await load("/state/highlight.js");
  const report = {
    claims: [
      { text: "A is B.", sources: [1], passages: ["1.2"], verdict: "supported" },
      { text: "C is D.", sources: [1, 2], passages: ["1.1", "2.1"], verdict: "supported" },
    ],
  };
  equal(citedPassages(report, 1, "C is D. [1]").passages, ["1.1"]);
  equal(citedPassages(report, 2, "C is D. [1] [2]").passages, ["2.1"]);
  equal(citedPassages(report, 1, "A is B. [1]").passages, ["1.2"]);
  const passage = "First one. The edquota command allows you to change the limits.\nLast.";
  const range = statedAt(passage, "The edquota command allows you to change limits.");
  equal(passage.slice(range.start, range.end), "The edquota command allows you to change the limits.");
  equal(statedAt(passage, "Something quite different"), null);
});

test("drawing keeps elements, focus and what was typed, and moves by key", async () => {
  const { h, render } = await load("/components/dom.js");
  const root = document.body.appendChild(document.createElement("div"));
  const row = (key, text) => h("li", { key }, h("input", { value: text }), text);
  render(root, h("ul", null, row("a", "1"), row("b", "2"), row("c", "3")));
  const second = root.querySelectorAll("input")[1];
  second.focus();
  second.value = "typed";
  render(root, h("ul", null, row("c", "3"), row("b", "2"), row("d", "4")));
  equal([...root.querySelectorAll("li")].map((one) => one.textContent), ["3", "2", "4"]);
  equal([root.querySelectorAll("input")[1] === second, document.activeElement === second, second.value], [true, true, "typed"]);
  render(root, h("ul", null, row("b", "<b>&")));
  equal([root.querySelector("li").textContent, root.querySelector("b")], ["<b>&", null]);
  root.remove();
});

test("the steps of a job come from its log while they run", async () => {
  const { stepList, stepName, withEvent } = await load("/state/steps.js");
  const at = (seconds) => new Date(1e12 + seconds * 1000).toISOString();
  const events = [{ id: 1, kind: "stepStarted", step: "plan", date: at(0) }, { id: 3, kind: "stepStarted", step: "search 2", date: at(4) }];
  const steps = [{ name: "plan", attempt: 1, startedAt: at(0), finishedAt: at(1.5) }];
  equal(
    stepList(steps, events, { state: "running" }).map((step) => [step.name, step.state, step.seconds]),
    [["plan", "done", 1.5], ["search 2", "running", null]],
  );
  equal(stepList(steps, [...events, { id: 4, kind: "stepFinished", step: "search 2", date: at(6) }], { state: "running" })[1].state, "done");
  equal(stepName("search 2"), "Search and read, round 2");
  equal(withEvent(withEvent(events, { id: 2, kind: "note" }), { id: 2, kind: "note" }).map((event) => event.id), [1, 2, 3]);
});

test("enrolment: nothing is skipped, and a refusal asks for a new sentence", async () => {
  const { nameProblem, noEnrolment, reduceEnrolment } = await load("/state/enrolment.js");
  let state = noEnrolment;
  const go = (action) => { state = reduceEnrolment(state, action); };
  go({ type: "named", name: "anna" });
  go({ type: "accepted" });
  equal(state.step, "sample");
  go({ type: "recorded", sample: "s" });
  go({ type: "checked", sample: "another", check: { isGood: true } });
  equal(state.check, null);
  go({ type: "checked", sample: "s", check: { isGood: false } });
  go({ type: "accepted" });
  equal(state.step, "sample");
  go({ type: "checked", sample: "s", check: { isGood: true } });
  go({ type: "accepted" });
  go({ type: "sending" });
  equal(state.step, "consent");
  go({ type: "asked", sentence: { sentence: "x" } });
  go({ type: "consented", consent: "c" });
  go({ type: "sending" });
  go({ type: "failed", error: "no" });
  equal([state.step, state.consent, state.sentence, state.sample], ["consent", null, null, "s"]);
  equal(
    [
      nameProblem("", []) !== null, nameProblem("1a", []) !== null, nameProblem("anna", ["anna"]) !== null, nameProblem("Anna-2", []),
      nameProblem("ä", []) !== null,
    ],
    [true, true, true, null, true],
  );
});

test("routes and codes of addresses", async () => {
  const { parseRoute, route, signInCode } = await load("/app/router.js");
  equal(parseRoute("#/agents/12?x=1").path, ["agents", "12"]);
  equal(parseRoute("#/voice/a%20b").path, ["voice", "a b"]);
  equal(parseRoute("#/voice/%E0%A4%A").path, ["voice", "%E0%A4%A"]);
  equal([route("voice", "a b"), signInCode("#code=abc"), signInCode("#/code=abc"), signInCode("#code=a&b")], ["#/voice/a%20b", "abc", null, null]);
});

test("amounts and times in words", async () => {
  const { age, bytes, counted, duration, placeName, position } = await load("/state/format.js");
  equal([duration(0.42), duration(59.6), duration(185), duration(7800)], ["0.4 s", "1 min", "3 min 5 s", "2 h 10 min"]);
  equal([bytes(0), bytes(999), bytes(43e6), bytes(1117e6), bytes(999_999)], ["0 B", "999 B", "43 MB", "1.1 GB", "1.0 MB"]);
  equal([age(0, 30e3), age(0, 3.7e6), age(86.4e6 * 3, 0)], ["now", "1 h", "in 3 d"]);
  equal(
    [counted(1, "source"), counted(2, "source"), position(65), position(3725), placeName("https://www.a.org/b"), placeName("/a/b.html")],
    ["1 source", "2 sources", "1:05", "1:02:05", "a.org", "b.html"],
  );
});

globalThis.logic = async () => {
  const failures = [];
  for (const { name, body } of tests) {
    try {
      await body();
    } catch (error) {
      failures.push(`${name}: ${error.message}`);
    }
  }
  return { count: tests.length, failures };
};
