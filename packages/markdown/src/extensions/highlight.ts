import { createRequire } from 'node:module'
import type { HLJSApi, LanguageFn } from 'highlight.js'
import { DEPENDS_ON, languageNamed } from './languages.ts'

/** Longer blocks are not highlighted: it helps little there, and costs the most. */
const MAX_BLOCK = 50 * 1024
/** Nor are blocks with longer lines: an unbroken run of letters takes time that grows with its square. */
const MAX_LINE = 2000

// Loaded on first use: most processes never need most languages.
const require = createRequire(import.meta.url)
const instances = new Map<string, HLJSApi>()

/** The code as HTML with `hljs-` classes; undefined when the language is unknown or the block too long. */
export function highlight(code: string, language: string): string | undefined {
  const name = languageNamed(language)
  if (name === undefined || code.length > MAX_BLOCK) return undefined
  if (code.split('\n').some((line) => line.length > MAX_LINE)) return undefined
  return instanceFor(name).highlight(code, { language: name, ignoreIllegals: true }).value
}

/** One instance a language, so that its output does not depend on which others were used before. */
function instanceFor(name: string): HLJSApi {
  const knownInstance = instances.get(name)
  if (knownInstance) return knownInstance
  const core = require('highlight.js/lib/core') as HLJSApi
  const instance = core.newInstance()
  const wantedNames = new Set([name])
  // The set grows during the iteration: languages add those that they embed.
  for (const language of wantedNames) {
    instance.registerLanguage(language, require(`highlight.js/lib/languages/${language}`) as LanguageFn)
    for (const embeddedName of DEPENDS_ON[language] ?? []) wantedNames.add(embeddedName)
  }
  instances.set(name, instance)
  return instance
}
