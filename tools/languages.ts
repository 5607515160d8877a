/**
 * `npm run languages`: brings the files of `languages/` in step with the messages in the code. What a language lacks
 * stands there with an empty text, which a translator fills; what no code shows any more goes. It names what is lacking
 * or wrong, and ends with 1 where there is anything. `npm run languages -- --check` changes no file.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ERRORS } from '../packages/contract/src/error-table.ts'
import { FILTER_OPS } from '../packages/contract/src/filter-ops.ts'
import { ROOT } from '../packages/lib/src/root.ts'
import { readDetails, readMessages } from '../packages/server/src/interfaces/web/bundle/messages.ts'
import { CATALOGUES, findFileProblem, findProblem } from '../packages/server/src/platform/language/t.ts'

const SOURCES = join(ROOT, 'packages')
/** Sources whose errors no screen shows. */
const WITHOUT_SCREENS =
  /\/(?:interfaces\/(?:mcp|web\/islands)|platform\/(?:config|database\/(?:check|embedded))|scim|app)\/|language\/t\.ts/
const messages = [...listMessages()].sort()
const isCheck = readOption()
let problems = 0

for (const name of readdirSync(CATALOGUES)) bringInStep(name)
process.exitCode = problems > 0 ? 1 : 0

function readOption(): boolean {
  try {
    return parseArgs({ options: { check: { type: 'boolean', default: false } } }).values.check
  } catch (error) {
    // A TypeError.
    process.stderr.write(`${(error as Error).message}\nUsage: npm run languages [-- --check]\n`)
    process.exit(2)
  }
}

function listMessages(): ReadonlySet<string> {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  const sources = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('cl'))
  const texts = sources.map((name) => readFileSync(join(SOURCES, name), 'utf8'))
  const operators = Object.values(FILTER_OPS).map(({ label }) => label)
  const details = texts.filter((_, index) => !WITHOUT_SCREENS.test(sources[index] ?? '')).flatMap(readDetails)
  return new Set([...texts.flatMap(readMessages), ...details, ...errorTexts(), ...operators])
}

/** What screens show of errors. */
function errorTexts(): readonly string[] {
  return Object.values(ERRORS).flatMap((error) =>
    [error.title, 'screenTitle' in error && error.screenTitle, 'screenAdvice' in error && error.screenAdvice].filter(
      (text) => typeof text === 'string',
    ),
  )
}

function bringInStep(name: string): void {
  const path = join(CATALOGUES, name)
  const fileProblem = findFileProblem(path)
  if (fileProblem !== undefined) {
    report(name, '', fileProblem)
    return
  }
  const before = readFileSync(path, 'utf8')
  const translations: Record<string, string> = JSON.parse(before)
  const entries = messages.map((message) => [message, translations[message] ?? ''] as const)
  for (const [message, translation] of entries) {
    const problem = translation === '' ? 'is lacking' : findProblem(message, translation)
    if (problem !== undefined) report(name, message, problem)
  }
  const count = entries.filter(([message, text]) => text !== '' && findProblem(message, text) === undefined).length
  say(name, '', `has ${count} of ${messages.length} messages`)
  for (const [message, text] of Object.entries(translations))
    if (text !== '' && !messages.includes(message)) say(name, message, `is shown nowhere any more: ${text}`)
  const after = `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`
  if (after === before) return
  if (isCheck) report(name, '', 'is not in step: run `npm run languages`')
  else writeFileSync(path, after)
}

function report(name: string, message: string, problem: string): void {
  problems++
  say(name, message, problem)
}

function say(name: string, message: string, text: string): void {
  process.stdout.write(`${name}: ${message === '' ? '' : `${JSON.stringify(message)} `}${text}\n`)
}
