import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const web = import.meta.dirname
/** The first segments of the URLs in urls.ts. */
const SCREENS = new Set(
  Array.from(
    readFileSync(join(web, 'urls.ts'), 'utf8').matchAll(/['"`]\/([a-z-]+)|pageScreen(?:<.*>)?\('([a-z-]+)/g),
    ([, segment, screen]) => segment ?? screen,
  ),
)
/** What stands before the pattern of a route, whose literal types the parameters. */
const DECLARED = /(?:Route|Request|\bget(?:<.*>)?|\bpost(?:<.*>)?)[(<]$|^ *(?:url: )?$|^const of\w+ = $/
/** A JSON Pointer to a field, or a sub-resource of the API. */
const NO_SCREEN = /inputError\(|api(?:Page|File)Url\(/

test('screens and scripts write no URL of a screen: all are in urls.ts', () => {
  const files = globSync('**/*.ts', { cwd: web }).filter((file) => !/(?:\.test|^urls)\.ts$/.test(file))
  const literals = files.flatMap((file) =>
    readFileSync(join(web, file), 'utf8')
      .split('\n')
      .filter((line) => !NO_SCREEN.test(line))
      .flatMap((line) => {
        const urls = [...line.matchAll(/['"`]\/([a-z-]+)(?=[/?'"`])/g)]
        const own = urls.filter(({ 1: name, index }) => SCREENS.has(name) && !DECLARED.test(line.slice(0, index)))
        return own.map(([url]) => `${file}: ${url}`)
      }),
  )
  assert.deepEqual(literals, [])
})
