const UNRELEASED = '## [Unreleased]'

/**
 * The changelog with what is unreleased under the heading of a version, and an empty unreleased section above it
 * (https://keepachangelog.com/en/1.1.0/). Throws where nothing is unreleased.
 */
export function releaseNotes(changelog: string, version: string, date: string): string {
  const start = changelog.indexOf(UNRELEASED)
  if (start === -1) throw new Error(`CHANGELOG.md has no heading "${UNRELEASED}"`)
  const rest = changelog.slice(start + UNRELEASED.length)
  const next = rest.search(/^## \[/m)
  const notes = next === -1 ? rest : rest.slice(0, next)
  if (notes.trim() === '') throw new Error('CHANGELOG.md names no unreleased change')
  return `${changelog.slice(0, start)}${UNRELEASED}\n\n## [${version}] - ${date}${rest}`
}
