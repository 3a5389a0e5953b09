/* Keeps the shell of the app, so that it opens while the server is away. Nothing of the person's own is ever kept here. */
const CACHE = "sotto-shell-2";
const SHELL = [
  "/", "/boot.js", "/manifest.webmanifest",
  "/net/client.js", "/net/drafts.js", "/net/live.js", "/net/outbox.js", "/app/appearance.js", "/app/main.js", "/app/router.js", "/app/shell.js",
  "/audio/capture-worklet.js", "/audio/listening.js", "/audio/microphone.js", "/audio/pcm.js", "/audio/problems.js", "/audio/speaker.js",
  "/audio/spool.js", "/components/composer.js", "/components/controls.js", "/components/dialog.js", "/components/dictation.js", "/components/dom.js",
  "/components/files.js", "/components/findings.js", "/components/icon.js", "/components/meter.js", "/components/panes.js", "/components/player.js",
  "/components/recorder.js", "/components/talk.js", "/components/toasts.js", "/icons/icon-180.png", "/icons/icon-192.png", "/icons/icon-512.png",
  "/icons/icon-maskable-512.png", "/icons/icon.svg", "/state/backoff.js", "/state/enrolment.js", "/state/format.js", "/state/highlight.js",
  "/state/jobs.js", "/state/press.js", "/state/steps.js", "/state/store.js", "/state/timeline.js", "/state/transcript.js", "/styles/base.css",
  "/styles/controls.css", "/styles/layout.css", "/styles/views.css", "/views/agent.js", "/views/agents.js", "/views/help.js", "/views/library.js",
  "/views/settings.js", "/views/settings/about.js", "/views/settings/appearance.js", "/views/settings/devices.js", "/views/settings/health.js",
  "/views/settings/models.js", "/views/settings/privacy.js", "/views/settings/research.js", "/views/settings/server-settings.js",
  "/views/settings/sound.js", "/views/settings/storage.js", "/views/signin.js", "/views/speak.js", "/views/transcribe.js", "/views/voice.js",
];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches.open(CACHE).then((cache) => cache.addAll(SHELL.map((path) => new Request(path, { cache: "reload" })))).then(() => self.skipWaiting())
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches.keys().then(
      (names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)))
    ).then(() => self.clients.claim())
  );
});

self.addEventListener("fetch", (event) => {
  const address = new URL(event.request.url);
  if (event.request.method !== "GET" || address.origin !== self.location.origin || !SHELL.includes(address.pathname)) return;
  // The server is on this machine or next to it: what it has now is better than what was kept.
  event.respondWith(fetch(event.request).then((response) => {
    if (response.ok) {
      const copy = response.clone();
      event.waitUntil(caches.open(CACHE).then((cache) => cache.put(address.pathname, copy)));
    }
    return response;
  }).catch(async (error) => {
    const kept = await caches.match(address.pathname);
    if (kept) return kept;
    throw error;
  }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { route } = event.notification.data ?? {};
  event.waitUntil(self.clients.matchAll({ type: "window" }).then((pages) => {
    if (pages.length === 0) return self.clients.openWindow(`/${route ?? ""}`);
    if (route) pages[0].postMessage({ route });
    return pages[0].focus();
  }));
});
