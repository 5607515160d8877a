import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findFileProblem, findProblem, readCatalogues } from './t.ts'

test('a translation may leave arguments out, has no others, and is a message', () => {
  const message = 'Move {title} into {folder}?'
  for (const [translation, problem] of [
    ['{title} nach {folder} verschieben?', undefined],
    ['Verschieben?', undefined],
    [3, /^is no text$/],
    ['{titel} verschieben?', /^has \{titel\}, which the message has not$/],
    ['Verschieben {', /^cannot be read: The message has no name of an argument at 12: Verschieben \{$/],
  ] as const) {
    const found = findProblem(message, translation)
    if (problem === undefined) assert.equal(found, undefined)
    else assert.match(found ?? '', problem)
  }
})

test('a file that is none of a language is left out, and what is wrong with it is said', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'languages-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [name, content, problem] of [
    ['de.json', '{"Close":"Schließen","Next":"","Move {title}":"{x}"}', undefined],
    ['pt-BR.json', '{}', undefined],
    ['fr.json', '{ "Close": ', /^is no JSON: .*end of JSON/],
    ['it.json', '["Close"]', /^is no JSON object/],
    ['pt-br.json', '{}', /name of a language/],
    ['not_a_tag.json', '{}', /name of a language/],
    ['notes.txt', '{}', /name of a language/],
  ] as const) {
    const path = join(folder, name)
    writeFileSync(path, content)
    if (problem === undefined) assert.equal(findFileProblem(path), undefined)
    else assert.match(findFileProblem(path) ?? '', problem)
  }
  assert.deepEqual(Object.fromEntries(readCatalogues(folder)), { de: { Close: 'Schließen' }, 'pt-BR': {} })
})
