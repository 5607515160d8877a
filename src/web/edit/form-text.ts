/**
 * The text of a text area as the page should hold it. Browsers send every line end of a form as CR LF (HTML, section
 * "constructing the entry list"): a page keeps those that it has, and a new one gets LF.
 */
export function textOfForm(sent: string, before: string | undefined): string {
  const unix = sent.replaceAll('\r\n', '\n')
  return before !== undefined && usesCrLf(before) ? unix.replaceAll('\n', '\r\n') : unix
}

/** Whether all lines of a text end so. */
function usesCrLf(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text)
}
