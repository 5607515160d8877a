import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { releaseNotes } from '../tools/changelog.ts'
import { stabiliseExamples } from '../tools/stable-examples.ts'

test('a release moves the unreleased changes to a section with its version and date', () => {
  const changelog = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Files.\n\n## [0.1.0] - 2026-01-01\n\n- Pages.\n'
  assert.equal(
    releaseNotes(changelog, '0.2.0', '2026-02-03'),
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n### Added\n\n- Files.\n\n## [0.1.0] - 2026-01-01\n\n- Pages.\n',
  )
})

test('a release without unreleased changes is an error', () => {
  assert.throws(() => releaseNotes('# Changelog\n\n## [Unreleased]\n\n## [0.1.0]\n\n- Pages.\n', '0.2.0', '2026-02-03'))
})

/** The examples of a run that began at a time, with ids that end in these digits. */
function exampleRun(begin: number, digits: string) {
  const time = (ms: number) => new Date(begin + ms).toISOString()
  const id = (last: string) => `01999999-0000-7000-8000-0000000${digits}${last}`
  const secret = `scim_${digits.repeat(12)}`
  return {
    'a.create': { response: { id: id('1'), createdAt: time(200), expiresAt: time(7 * 86_400_000 + 300), secret } },
    'a.get': {
      parameters: { id: id('1') },
      response: { by: id('2'), hint: secret.slice(0, 9), durationMs: begin % 7 },
    },
  }
}

test('examples are the same in every run, and have no secret', () => {
  const [one, other] = [1_790_000_000_000, 1_790_000_123_456] as const
  const first = stabiliseExamples(exampleRun(one, '1234'), one)
  assert.deepEqual(stabiliseExamples(exampleRun(other, '9876'), other), first)
  assert.doesNotMatch(JSON.stringify(first), /1234/)
})

test('an operation with more ids changes no other example', () => {
  const run = exampleRun(0, '1234')
  const more = { 'a.create': { response: { owner: randomUUID(), ...run['a.create'].response } }, 'a.get': run['a.get'] }
  const [before, after] = [run, more].map((each) => stabiliseExamples(each, 0) as typeof run)
  assert.deepEqual(after?.['a.get'], before?.['a.get'])
})

test('every language has a translation of every message, and none that is shown nowhere', () => {
  const { stdout, status } = spawnSync(process.execPath, ['tools/languages.ts', '--check'], { encoding: 'utf8' })
  assert.equal(status, 0, stdout)
})
