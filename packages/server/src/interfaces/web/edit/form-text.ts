/**
 * Normalises the line ends of a text area. Browsers send every line end of a form as CR LF (HTML, section
 * "constructing the entry list"): a page keeps its own, and a new one gets LF.
 */
export function textOfForm(sentText: string, before: string | undefined): string {
  const unix = sentText.replaceAll('\r\n', '\n')
  return before !== undefined && usesCrLf(before) ? unix.replaceAll('\n', '\r\n') : unix
}

/** Whether all lines of a text end with CR LF. */
function usesCrLf(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text)
}
