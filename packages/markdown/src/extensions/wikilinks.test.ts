import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertWikilinks, createVault } from './wikilinks.ts'

const vault = createVault(['Home', 'notes/Deep Note', 'notes/Home', 'a/b/c (1)'])
const turn = (text: string, path = 'notes/Deep Note') => convertWikilinks(text, path, vault)

test('wikilinks become links relative to the note, found by path or by name', () => {
  assert.equal(turn('[[Home]]'), '[Home](../Home.md)')
  assert.equal(turn('[[notes/home]]'), '[home](./Home.md)')
  assert.equal(turn('[[deep note|that]]', 'Home'), '[that](./notes/Deep%20Note.md)')
  assert.equal(turn('[[c (1)]]', 'Home'), '[c (1)](./a/b/c%20%281%29.md)')
  assert.equal(turn('[[Home.md]] [[Absent]]', 'Home'), '[Home](./Home.md) [Absent](./Absent.md)')
})

test('headings become fragments, embedded notes become links, other files images', () => {
  assert.equal(turn('[[Home#The Plan, now]]', 'Home'), '[Home › The Plan, now](./Home.md#the-plan-now)')
  assert.equal(turn('[[#Part two]]'), '[Part two](#part-two)')
  assert.equal(turn('![[Home]]', 'Home'), '[Home](./Home.md)')
  assert.equal(turn('![[image.png]] [[]]'), '![image.png](../image.png) [[]]')
})

test('embedded PDFs open in place at their page; images keep their size, also those in Markdown', () => {
  assert.equal(turn('![[doc one.pdf#page=2]]', 'Home'), '![doc one.pdf](./doc%20one.pdf#page=2)')
  assert.equal(turn('![[clip.mp4#t=10|clip]]', 'Home'), '![clip](./clip.mp4#t=10)')
  assert.equal(
    turn('![[a.png|A "b"|60x40]]', 'Home'),
    '<img src="./a.png" alt="A &quot;b&quot;" width="60" height="40">',
  )
  assert.equal(turn('![alt|150](../a%20b.png)'), '<img src="../a%20b.png" alt="alt" width="150">')
  assert.equal(turn('| ![a\\|60x40](x.png?a&b) |'), '| <img src="x.png?a&amp;b" alt="a" width="60" height="40"> |')
  for (const other of ['![a|b](x.png)', '[a|150](x.png)', '`![a|150](x.png)`']) assert.equal(turn(other), other)
})

test('code is unchanged', () => {
  const code = '`[[Home]]`\n\n```md\n[[Home]]\n```\n\n``a ` [[Home]]``'
  assert.equal(turn(code), code)
  assert.equal(turn(`${code} [[Home]]`, 'Home'), `${code} [Home](./Home.md)`)
})

test('in a table the pipe before the alias is escaped', () => {
  assert.equal(
    turn('| [[Home\\|start]] | [[Home#The Plan\\|plan]] |', 'Home'),
    '| [start](./Home.md) | [plan](./Home.md#the-plan) |',
  )
  assert.equal(turn('[[Home|start]]', 'Home'), '[start](./Home.md)')
})
