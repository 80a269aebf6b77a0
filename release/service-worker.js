// Keeps the files of a site for when there is no network. `make site` puts DIGEST, FILES and LATER before these lines.

// Other sites of the same host have caches of their own.
const OWN = `kinarow ${registration.scope} `;
const CACHE = OWN + DIGEST;

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
addEventListener("activate", () => void keepLater());
addEventListener("message", ({ data }) => void (data === "take over" && skipWaiting()));
addEventListener("fetch", (event) => {
  const isOwn = new URL(event.request.url).origin === location.origin;
  if (event.request.method === "GET" && isOwn) event.respondWith(answer(event));
  if (isOwn && event.request.mode === "navigate") event.waitUntil(keepLater());
});

async function install() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })));
}

async function forgetOthers() {
  for (const name of await caches.keys()) if (name.startsWith(OWN) && name !== CACHE) await caches.delete(name);
  await clients.claim();
}

/** Keeps the atlas and the guide, which no page waits for; what fails is tried at the next page. */
async function keepLater() {
  const cache = await caches.open(CACHE);
  for (const file of LATER) if (!(await cache.match(file))) await cache.add(file).catch(() => {}); // there may be no room
}

/** What is kept; pictures of the guide are kept when they are first seen. */
async function answer(event) {
  const { request } = event;
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request, { ignoreSearch: true });
  if (kept) return kept;
  const response = await fetch(request);
  const keep = () => cache.put(request, response.clone()).catch(() => {}); // there may be no room
  if (response.status === 200) event.waitUntil(keep());
  return response;
}
