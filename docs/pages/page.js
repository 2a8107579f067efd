// What every page can do: search, copy code, and follow the reader in its lists of links.

// Search. The index is loaded when somebody first wants to search.
const search = document.querySelector(".search");
const field = search.querySelector("input");
const results = search.querySelector(".results");
const status = results.querySelector("output");
const list = results.querySelector("ol");
const mostResults = 20;
let index;

search.hidden = false;

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

async function loadIndex() {
  index ??= import(search.dataset.index).then((module) =>
    module.default.map(([title, place, url, text]) => ({
      ...{ title, place, url, text },
      plainTitle: plain(title),
      plainPlace: plain(place),
      plainText: plain(text),
    })),
  );
  return index;
}

/** Finds a word, or the beginning of one. The parts of a name such as use_points are words, too. */
const patternOf = (word) => new RegExp(`(?<![a-z0-9])${word.replace(/[^a-z0-9 ]/g, "\\$&")}`);

/** How well an entry matches: titles count more than places, and places more than text. 0 if a word is missing. */
function scoreOf(entry, patterns) {
  let score = 0;
  for (const pattern of patterns) {
    const at = entry.plainTitle.search(pattern);
    if (at >= 0) score += at === 0 ? 30 : 20;
    else if (pattern.test(entry.plainPlace)) score += 5;
    else if (pattern.test(entry.plainText)) score += 1;
    else return 0;
  }
  return score;
}

/** The words of a text around the first match. */
function excerptOf({ text, plainText }, patterns) {
  const at = patterns.map((pattern) => plainText.search(pattern)).find((place) => place >= 0) ?? 0;
  const begin = text.lastIndexOf(" ", Math.max(0, at - 30)) + 1;
  const space = text.indexOf(" ", begin + 110);
  const end = space < 0 ? text.length : space;
  return (begin > 0 ? "… " : "") + text.slice(begin, end) + (end < text.length ? " …" : "");
}

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function resultOf(entry, patterns) {
  const link = element("a", "");
  link.href = search.dataset.base + entry.url;
  link.append(
    element("strong", entry.title),
    element("small", entry.place),
    element("span", excerptOf(entry, patterns)),
  );
  const item = element("li", "");
  item.append(link);
  return item;
}

async function find() {
  const patterns = plain(field.value).split(/\s+/).filter(Boolean).map(patternOf);
  if (patterns.length === 0) return close();
  const entries = await loadIndex();
  const found = entries
    .map((entry) => ({ entry, score: scoreOf(entry, patterns) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
  list.replaceChildren(...found.slice(0, mostResults).map(({ entry }) => resultOf(entry, patterns)));
  status.textContent =
    found.length === 0 ? "No results" : found.length === 1 ? "1 result" : `${found.length} results`;
  results.hidden = false;
}

function close() {
  results.hidden = true;
  list.replaceChildren();
}

field.addEventListener("focus", loadIndex);
field.addEventListener("input", find);
search.addEventListener("keydown", async (event) => {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "Enter" && document.activeElement === field) {
    await find();
    list.querySelector("a")?.click();
  } else if (event.key === "ArrowDown") links[at + 1]?.focus();
  else if (event.key === "ArrowUp") (links[at - 1] ?? field).focus();
  else if (event.key === "Escape") {
    field.value = "";
    close();
    field.blur();
  } else return;
  event.preventDefault();
});
list.addEventListener("click", () => {
  field.value = "";
  close();
});
document.addEventListener("click", (event) => {
  if (!search.contains(event.target)) results.hidden = true;
});
document.addEventListener("keydown", (event) => {
  const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
});

// A button at each piece of code that copies it, where browsers can: they have a clipboard only with https and on this machine.
for (const code of navigator.clipboard ? document.querySelectorAll("article pre, .try pre") : []) {
  const button = element("button", "Copy", "copy");
  button.type = "button";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
  code.before(button);
}

// Marks the part that is being read in the list of links, and keeps its link in view.
const menu = document.querySelector("#menu");
const links = [...document.querySelectorAll(".list a[href^='#'], .contents a[href^='#']")];
const parts = links.map((link) => document.getElementById(link.hash.slice(1)));
let current;

function follow() {
  const line = window.innerHeight / 4;
  const place = parts.findLastIndex((part) => part.getBoundingClientRect().top <= line);
  if (links[place] === current) return;
  current?.removeAttribute("aria-current");
  current = links[place];
  if (current === undefined) return;
  current.setAttribute("aria-current", "true");
  const sidebar = current.closest("nav");
  const { top, bottom } = current.getBoundingClientRect();
  const around = sidebar.getBoundingClientRect();
  const isInView = top >= around.top + 40 && bottom <= around.bottom - 40;
  if (!isInView && sidebar.scrollHeight > sidebar.clientHeight)
    sidebar.scrollTop += top - around.top - sidebar.clientHeight / 2;
}

if (links.length > 0) {
  let isWaiting = false;
  document.addEventListener(
    "scroll",
    () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        follow();
      });
    },
    { passive: true },
  );
  follow();
}

// On a narrow page, the list covers the page until a link of it is chosen.
for (const link of links) {
  link.addEventListener("click", () => {
    if (menu) menu.checked = false;
  });
}
