import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseNotes } from '../tools/changelog.ts'

test('a release moves the unreleased changes to a section with its version and date', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Files.\n\n## [0.1.0] - 2026-01-01\n\n- Pages.\n'
  assert.equal(
    releaseNotes(changelog, '0.2.0', '2026-02-03'),
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n### Added\n\n- Files.\n\n## [0.1.0] - 2026-01-01\n\n- Pages.\n',
  )
})

test('a release without unreleased changes is an error', () => {
  assert.throws(() =>
    releaseNotes('# Changelog\n\n## [Unreleased]\n\n## [0.1.0]\n\n- Pages.\n', '0.2.0', '2026-02-03'),
  )
})
