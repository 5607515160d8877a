import { formatMessage, type MessageValues } from '@recto/lib/text/message-format.ts'

let catalogue: Readonly<Record<string, string>> | undefined

/** A message in the language of the screen, as in `platform/language/t.ts`. The document has the translations. */
export function t(message: string, values: Readonly<Record<string, string | number>> = {}): string {
  return formatNodes(message, values).join('')
}

/** Marks a message of a table, which `t` translates where it is shown. */
export function msg(message: string): string {
  return message
}

/** The language of the screen, in the form of the reader's region, such as that of en-GB. */
export function locale(): string {
  const { lang } = document.documentElement
  return navigator.languages.find((each) => each.split('-')[0] === lang) ?? lang
}

/** The same with elements: the parts of the message, for `append`. */
export function formatNodes<Node = never>(message: string, values: MessageValues<Node>): (string | Node)[] {
  catalogue ??= JSON.parse(document.getElementById('messages')?.textContent ?? '{}') as Record<string, string>
  return [...formatMessage(catalogue[message] ?? message, document.documentElement.lang, values)]
}
