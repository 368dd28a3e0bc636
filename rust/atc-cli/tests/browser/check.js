// In a page that shows `report` in a frame: uses each control of the report and writes "ok, ..." or what is wrong.
"use strict";
const frame = document.querySelector("iframe");
const wrong = [];
let checks = 0;
const expect = (holds, what) => { checks += 1; if (!holds) wrong.push(what); };

const check = () => {
  const view = frame.contentWindow, page = frame.contentDocument;
  const all = (selector) => Array.from(page.querySelectorAll(selector));
  const shown = (selector) => all(selector).filter((element) => element.getClientRects().length > 0);
  const click = (selector) => page.querySelector(selector).click();
  const header = (table, name) => all(`${table} th`).find((head) => head.textContent === name);
  const column = (table, name) => {
    const index = Array.from(header(table, name).parentNode.children).indexOf(header(table, name));
    return all(`${table} tbody tr`).map((row) => row.children[index]);
  };
  const filter = (words) => {
    page.getElementById("filter").value = words;
    page.getElementById("filter").dispatchEvent(new view.Event("input"));
  };

  const fits = () => page.documentElement.scrollWidth <= view.innerWidth;
  expect(fits(), `wider than the window: ${page.documentElement.scrollWidth} of ${view.innerWidth}`);
  expect(view.performance.getEntriesByType("resource").length === 0, "the report loads something");
  expect(all("#choices tbody tr").length === 24 && all("details").length === 24, "problems are missing");
  expect(all("details tbody tr").length === 24 * 5, "candidates are missing");
  expect(shown("svg.plane").length === 2 && shown("polyline.ceiling").length === 1, "plots are missing");

  // Hostile names are text.
  expect(view.hurt === undefined && window.hurt === undefined, "a name of the results was run");
  expect(all("img").length === 0 && all("script").length === 1, "a name of the results made elements");
  expect(page.body.textContent.includes("<U+202E>evil"), "a hidden character is not shown");

  // Sorting: up, then down; numbers by value, unknown ones last.
  for (const [name, number] of [["time", true], ["problem", false]]) {
    const values = () => column("#choices", name).map((cell) => number ? Number(cell.dataset.v) : cell.textContent.toLowerCase());
    const head = header("#choices", name);
    const ordered = (list, sign) => list.every((value, index) => index === 0 || (list[index - 1] === value) || (list[index - 1] < value) === (sign > 0));
    head.querySelector("button").click();
    expect(ordered(values(), 1) && head.getAttribute("aria-sort") === "ascending", `not sorted by ${name}`);
    head.querySelector("button").click();
    expect(ordered(values(), -1) && head.getAttribute("aria-sort") === "descending", `not sorted down by ${name}`);
  }
  header("#p1", "median").querySelector("button").click();
  header("#p1", "median").querySelector("button").click();
  expect(column("#p1", "median").at(-1).textContent === "-", "an untimed candidate is not the last");

  // Filtering: every word, in tables, plots and candidates alike.
  filter("block1 cudnn");
  const found = all("#choices tbody tr").filter((row) => row.textContent.includes("block1")).length;
  expect(found > 1 && found < 24, "the results do not fit the check");
  expect(shown("#choices tbody tr").length === found && shown("details").length === found, "the filter shows others");
  expect(shown("#gains > div a").length === found, "the filter does not reach the gains");
  expect(shown("svg.plane:not(#x) a").length <= 2 * found, "the filter does not reach the plots");
  expect(page.getElementById("shown").textContent === `${found} of 24`, "the filter does not count");
  filter("provisional");
  expect(shown("#choices tbody tr").length === 4, "provisional decisions cannot be found");
  filter("nothing like it");
  expect(shown("#choices tbody tr").length === 0, "the filter finds what is not there");
  filter("");
  expect(shown("#choices tbody tr").length === 24, "an empty filter hides something");

  // Opening, by the buttons and by links.
  click("#close");
  expect(all("details[open]").length === 0, "close all");
  click("#choices a[href='#p7']");
  expect(all("details[open]").length === 1 && page.getElementById("p7").open, "a link does not open its problem");
  click("#open");
  expect(all("details[open]").length === 24, "open all");
  expect(fits(), `wider than the window when open: ${page.documentElement.scrollWidth} of ${view.innerWidth}`);
  for (const cell of all("td, dd, summary, .name, p, button")) {
    const size = parseFloat(view.getComputedStyle(cell).fontSize);
    if (size < 11) { expect(false, `text of ${size} pixels`); break; }
  }
  const letters = all("svg.plane text")[0].getBoundingClientRect().height;
  expect(letters >= 8, `labels of the plots are ${letters} pixels high`);

  // Light and dark.
  const ground = () => view.getComputedStyle(page.body).backgroundColor;
  const bright = (color) => color.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
  const before = ground();
  click("#theme");
  const after = ground();
  expect(before !== after && (bright(before) > 200) !== (bright(after) > 200), `no dark theme: ${before}, ${after}`);
  click("#theme");
  expect(ground() === before, "the theme does not come back");

  // Printing opens everything and restores it.
  click("#close");
  view.dispatchEvent(new view.Event("beforeprint"));
  expect(all("details[open]").length === 24, "candidates are not printed");
  view.dispatchEvent(new view.Event("afterprint"));
  expect(all("details[open]").length === 0, "printing changes the page");
};

try {
  const page = frame.contentDocument;
  page.open();
  page.write(report);
  page.close();
  check();
} catch (error) {
  wrong.push(`${error}`);
}
document.getElementById("result").textContent = wrong.length === 0 ? `ok, ${checks} checks` : wrong.join("; ");
