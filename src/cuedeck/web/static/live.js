// Keeps a live page current and makes it usable from the keyboard; every page works without it.
(() => {
  "use strict";
  const main = () => document.getElementById("main");
  let source = null;
  let waiting = null;
  let busy = false;

  // What the page shows was read at this version or later.
  let seen = main()?.dataset.live;

  const editing = () => {
    const at = document.activeElement;
    return at && main().contains(at) && at.matches("input, textarea, select");
  };

  const typed = () => [...main().querySelectorAll("input:not([type=hidden]), textarea")]
    .some((field) => field.value !== field.defaultValue);

  // A button that had the keyboard keeps it, although its element was replaced.
  const keyOf = (node) => {
    if (!node || !main().contains(node) || !node.form) return null;
    return node.form.getAttribute("action") + "|" + node.textContent + "|" + [...node.form.elements].map((e) => e.value).join();
  };

  const refresh = async () => {
    if (busy) { waiting = waiting || setTimeout(refresh, 300); return; }
    waiting = null;
    if (editing() || typed() || main().querySelector("details[open]")) return;
    busy = true;
    try {
      const answer = await fetch(location.href, { credentials: "same-origin" });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("main");
      if (!fresh || fresh.innerHTML === main().innerHTML || editing()) return;
      const key = keyOf(document.activeElement);
      const scrolled = [...main().querySelectorAll(".scroll")].map((box) => box.scrollLeft);
      main().replaceChildren(...fresh.childNodes);
      main().querySelectorAll(".scroll").forEach((box, n) => { box.scrollLeft = scrolled[n] || 0; });
      if (key) [...main().querySelectorAll("form button")].find((button) => keyOf(button) === key)?.focus();
    } catch { /* the server is away; the stream tells when it is back */ } finally { busy = false; }
  };

  const connect = () => {
    if (source || document.hidden || !main() || !("live" in main().dataset)) return;
    source = new EventSource("/events");
    source.onopen = () => document.body.classList.remove("away");
    source.onerror = () => document.body.classList.add("away");
    source.onmessage = (event) => {
      if (seen !== event.data) waiting = waiting || setTimeout(refresh, 150);
      seen = event.data;
    };
  };

  // Hidden tabs hold no connection: a browser allows few to one server.
  const changeSight = () => {
    if (document.hidden) { source?.close(); source = null; } else { connect(); refresh(); }
  };

  let went = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "/") {
      event.preventDefault();
      document.querySelector("header input[type=search]")?.focus();
    } else if (event.key === "g") {
      went = event.timeStamp;
    } else if (event.timeStamp - went < 1500) {
      went = 0;
      document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`)?.click();
    }
  });

  document.addEventListener("visibilitychange", changeSight);
  addEventListener("pagehide", () => { source?.close(); source = null; });
  addEventListener("pageshow", connect);
  connect();
})();
