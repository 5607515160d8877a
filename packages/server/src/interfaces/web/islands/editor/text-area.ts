const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/**
 * The text area of the form of the editor, and its text as it was sent and as it is now, with the line ends of text
 * areas. That of a large text is in `noscript`: browsers take seconds to fill and lay out a text area that the editor
 * replaces at once.
 */
export function findTextArea(form: HTMLFormElement) {
  const textArea = form.querySelector<HTMLTextAreaElement>('textarea[name="body"]')
  if (textArea) return { area: textArea, text: lines(textArea.defaultValue), typed: () => textArea.value }
  const noscript = form.querySelector('.panes noscript')
  const source = noscript && /<textarea[^>]*>\n?([^<]*)<\/textarea>/.exec(noscript.textContent)?.[1]
  if (!noscript || source == null) return undefined
  const area = Object.assign(document.createElement('textarea'), { name: 'body', id: 'body', hidden: true })
  noscript.replaceWith(area)
  const text = lines(source.replace(/&(?:amp|lt|gt|quot|#39);/g, (name) => CHARACTERS[name] ?? name))
  return { area, text, typed: () => text }
}

function lines(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}
