/** Escapes the five special characters of HTML, for elements and quoted attributes. */
export function escapeHtml(text: string): string {
  // Most texts have none; and five passes are faster than one with a callback.
  if (!/[&<>"']/.test(text)) return text
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
