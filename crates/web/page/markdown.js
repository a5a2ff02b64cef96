// The Markdown of our own documents as HTML: headings, paragraphs, lists, tables, quotations, code.

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

const inline = (text, link) =>
  text.split(/(`+[^`]+`+)/).map((part) => {
    if (part.startsWith("`")) return `<code>${escape(part.replace(/^`+ ?| ?`+$/g, "").replaceAll("\\|", "|"))}</code>`;
    return escape(part.replaceAll("\\|", "|"))
      .replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (_, words, to) => `<img alt="${words}" src="${link(to, "image")}">`)
      .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words, to) => `<a href="${link(to, "page")}">${words}</a>`)
      .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
      .replace(/(^|[\s(])\*([^*\s][^*]*)\*/g, "$1<em>$2</em>");
  }).join("");

const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());

/** HTML; `code` makes that of a block of code, `link` says where links lead. */
export const html = (text, { code, link }) => {
  const lines = text.split("\n");
  const out = [];
  let at = 0;
  const take = (test) => {
    const from = at;
    while (at < lines.length && test(lines[at])) at++;
    return lines.slice(from, at);
  };
  const starts = /^(#{1,6} |```|\||[-*] |\d+\. |> |\s*$)/;
  while (at < lines.length) {
    const line = lines[at];
    const fence = line.match(/^```(.*)$/);
    const heading = line.match(/^(#{1,6}) (.*)$/);
    if (fence) {
      at++;
      const body = take((line) => !line.startsWith("```"));
      at++;
      out.push(code(fence[1].trim(), body.join("\n")));
    } else if (heading) {
      at++;
      const id = heading[2].toLowerCase().replace(/[^\p{L}\p{N} -]/gu, "").replaceAll(" ", "-");
      out.push(`<h${heading[1].length} id="${id}">${inline(heading[2], link)}</h${heading[1].length}>`);
    } else if (line.startsWith("|")) {
      const rows = take((line) => line.startsWith("|")).filter((row) => !/^\|[\s:|-]+\|$/.test(row));
      const row = (line, tag) => `<tr>${cells(line).map((cell) => `<${tag}>${inline(cell, link)}</${tag}>`).join("")}</tr>`;
      out.push(`<table>${row(rows[0], "th")}${rows.slice(1).map((line) => row(line, "td")).join("")}</table>`);
    } else if (/^([-*]|\d+\.) /.test(line)) {
      const tag = /^\d/.test(line) ? "ol" : "ul";
      const items = take((line) => /^([-*]|\d+\.) |^\s+\S/.test(line)).reduce((items, line) => {
        if (/^([-*]|\d+\.) /.test(line)) items.push(line.replace(/^([-*]|\d+\.) /, ""));
        else items[items.length - 1] += " " + line.trim();
        return items;
      }, []);
      out.push(`<${tag}>${items.map((item) => `<li>${inline(item, link)}</li>`).join("")}</${tag}>`);
    } else if (line.startsWith("> ")) {
      out.push(`<blockquote>${inline(take((line) => line.startsWith(">")).map((line) => line.replace(/^> ?/, "")).join(" "), link)}</blockquote>`);
    } else if (line.trim() === "") at++;
    else out.push(`<p>${inline([lines[at++], ...take((line) => !starts.test(line))].join(" "), link)}</p>`);
  }
  return out.join("\n");
};
