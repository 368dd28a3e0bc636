"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const filter = document.getElementById("filter");

  // Shows the problems whose row has all words.
  const narrow = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = all("#choices tbody tr");
    const found = new Set();
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      if (words.every((word) => text.includes(word))) found.add(row.dataset.p);
    }
    for (const element of all("[data-p]")) element.toggleAttribute("hidden", !found.has(element.dataset.p));
    document.getElementById("shown").textContent = `${found.size} of ${rows.length}`;
  };

  // Sorts by the column; numbers that are not known come last.
  const sort = (head) => {
    const table = head.closest("table");
    const column = Array.from(head.parentNode.children).indexOf(head);
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const sign = down ? -1 : 1;
    const value = (row) => {
      const cell = row.children[column];
      if (!head.classList.contains("n")) return cell.textContent.toLowerCase();
      return cell.dataset.v === undefined ? undefined : Number(cell.dataset.v);
    };
    const body = table.tBodies[0];
    const keyed = Array.from(body.rows, (row) => [value(row), row]);
    keyed.sort(([a], [b]) => {
      if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
      return a < b ? -sign : a > b ? sign : 0;
    });
    body.append(...keyed.map(([, row]) => row));
  };

  const open = (on) => { for (const element of all("details")) element.open = on; };
  const follow = (name) => {
    const target = document.getElementById(name);
    if (target instanceof HTMLDetailsElement) target.open = true;
  };

  filter.addEventListener("input", narrow);
  for (const button of all("th button")) button.addEventListener("click", () => sort(button.parentNode));
  for (const link of all("a[href^='#p']")) link.addEventListener("click", () => follow(link.getAttribute("href").slice(1)));
  document.getElementById("open").addEventListener("click", () => open(true));
  document.getElementById("close").addEventListener("click", () => open(false));
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = getComputedStyle(root).colorScheme === "dark";
    root.dataset.theme = dark ? "light" : "dark";
  });
  let before = [];
  addEventListener("beforeprint", () => { before = all("details").map((one) => one.open); open(true); });
  addEventListener("afterprint", () => all("details").forEach((one, index) => { one.open = before[index]; }));
  follow(location.hash.slice(1));
  narrow();
  document.getElementById("controls").hidden = false;
})();
