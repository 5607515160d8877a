/** A literal that is the first argument of `t`, `msg` or `formatNodes`, but in comments. */
const CALL =
  /(?<!^ *\/?\*.*)\b(?:t|msg|formatNodes(?:<\w+>)?)\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\$]|\\.)*)`)/gm
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' }

/** The detail of an error, and an issue of it; a template has values that are no templates themselves. */
const DETAIL =
  /(?:\bAppError\(\s*[^'`(),]*(?:'\w+'),\s*|\b(?:inputError|retryLater)\(\s*'\w+',\s*|\bdetail =\s*)(?:'((?:[^'\\\n]|\\.)+)'|`((?:[^`\\$]|\\.|\$\{[^{}`]*\})*)`)/g

/** The details of errors that stand in a source, with numbers in place of what is filled in. */
export function readDetails(source: string): readonly string[] {
  return [...source.matchAll(DETAIL)].map(([, text, template]) => {
    let count = 0
    return readLiteral(text ?? template?.replace(/\$\{[^{}`]*\}/g, () => `{${count++}}`) ?? '')
  })
}

/** The messages that stand in a source, in their order. */
export function readMessages(source: string): readonly string[] {
  return [...source.matchAll(CALL)].map(([, single, double, template]) =>
    readLiteral(single ?? double ?? template ?? ''),
  )
}

function readLiteral(literal: string): string {
  return literal.replace(/\\(.)/gs, (_, character) => ESCAPES[character] ?? character)
}
