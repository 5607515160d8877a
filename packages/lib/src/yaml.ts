/** The reader of YAML for all doors, as `json/json.ts` is that of JSON: no number is changed. */
import { type Document, type ParsedNode, parseDocument, type ScalarTag, type Tags } from 'yaml'
import { numberProblem } from './json/json-scan.ts'

export interface YamlOptions {
  /** What becomes of a number that JSON cannot hold exactly: text with its digits, or an error of the document. */
  readonly inexact: 'text' | 'error'
  /** Whether equal keys are an error; else the last one wins. Comparing each with each takes quadratic time. */
  readonly uniqueKeys: boolean
}

/** Parses YAML of the core schema. Errors are in `errors` of the document. */
export function parseYaml(text: string, { inexact, uniqueKeys }: YamlOptions): Document.Parsed<ParsedNode> {
  return parseDocument(text, {
    schema: 'core',
    resolveKnownTags: false,
    stringKeys: true,
    uniqueKeys,
    intAsBigInt: true,
    prettyErrors: false,
    logLevel: 'silent',
    customTags: inexact === 'text' ? textTags : errorTags,
  })
}

/** Of `.inf` and `.nan`. */
const NO_NUMBER = 'JSON has no such number'

const textTags = (tags: Tags) => tags.map((tag) => exactTag(tag, false))
const errorTags = (tags: Tags) => tags.map((tag) => exactTag(tag, true))

/** The tag of a number, which keeps the number exactly. */
function exactTag(tag: Tags[number], isStrict: boolean): Tags[number] {
  if (typeof tag === 'string' || !/:(?:int|float)$/.test(tag.tag)) return tag
  const { resolve } = tag as ScalarTag
  const exact: ScalarTag = {
    ...(tag as ScalarTag),
    resolve(text, onError, options) {
      const value = resolve(text, onError, options)
      const problem = findProblem(text, value)
      if (problem === undefined) return typeof value === 'bigint' ? Number(value) : value
      if (isStrict) onError(problem)
      if (typeof value === 'bigint') return String(value)
      return problem === NO_NUMBER ? value : text
    },
  }
  return exact
}

function findProblem(text: string, value: unknown): string | undefined {
  if (typeof value === 'bigint') return numberProblem(String(value))
  if (/n/i.test(text)) return NO_NUMBER
  return numberProblem(
    text
      .replace(/^\+/, '')
      .replace(/^(-?)\./, '$10.')
      .replace(/\.(?=e|$)/i, ''),
  )
}
