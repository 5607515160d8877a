/** A literal that is the first argument of `t`, `msg` or `formatNodes`, but in comments. */
const CALL =
  /(?<!^ *\/?\*.*)\b(?:t|msg|formatNodes(?:<\w+>)?)\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\$]|\\.)*)`)/gm
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' }

const TEXT = /'((?:[^'\\\n]|\\.)*)'/.source
/** A template whose values are no templates themselves. */
const TEMPLATE = /`((?:[^`\\$]|\\.|\$\{[^{}`]*\})*)`/.source
/** The detail of an error, or one of two. */
const DETAIL =
  /\bAppError\(\s*[^(),]*,\s*|\b(?:inputError|retryLater)\(\s*'\w+',\s*|\b(?:limitChecks|invalidForm)\(|\bdetails?(?: =|:)\s*(?=['`][A-Z])|[?:] (?=(?:'[A-Z][^'\n]*\.'|`[A-Z][^\n]*\.`)(?:\n|\)| : ))/
/** What is wrong with a value, which follows its name. */
const ISSUE =
  /(?<!\b(?:t|msg|Problem)\(\s*)(?=['`](?:must|is|was|has|does|cannot|needs|names|holds|contains|takes|occurs|fits) [^\n]+['`])/
const DETAILS = new RegExp(`(?:${DETAIL.source}|${ISSUE.source})(?:${TEXT}|${TEMPLATE})`, 'g')
/** What is no message, or would be another one: they stay English. */
const UNREADABLE = /\{(?!\d+\})|<\w/
/** What `translateDetail` adds again. */
const UNCHANGED = / Nothing was changed\.$/

/** The details of errors, and their issues, that stand in a source, with numbers in place of what is filled in. */
export function readDetails(source: string): readonly string[] {
  const details = [...joinLiterals(source.replace(/^ *(?:\*|\/[/*]).*/gm, '')).matchAll(DETAILS)].map(
    ([, text, template]) => {
      let count = 0
      return readLiteral(text ?? template?.replace(/\$\{[^{}`]*\}/g, () => `{${count++}}`) ?? '')
    },
  )
  return details
    .map((detail) => detail.replace(UNCHANGED, ''))
    .filter((detail) => /[a-z]{3}/.test(detail) && !UNREADABLE.test(detail))
}

/** The messages that stand in a source, in their order. */
export function readMessages(source: string): readonly string[] {
  return [...joinLiterals(source).matchAll(CALL)].map(([, single, double, template]) =>
    readLiteral(single ?? double ?? template ?? ''),
  )
}

/** A source in which a text of several lines is one literal. */
function joinLiterals(source: string): string {
  return source.replace(/(['`]) \+\n *\1/g, '')
}

function readLiteral(literal: string): string {
  return literal.replace(/\\(.)/gs, (_, character) => ESCAPES[character] ?? character)
}
