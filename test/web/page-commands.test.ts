import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Command, EditorState, Selection, TextSelection, type Transaction } from 'prosemirror-state'
import { readDocument } from '../../packages/server/src/interfaces/web/islands/editor/document/parse.ts'
import { writeDocument } from '../../packages/server/src/interfaces/web/islands/editor/document/write.ts'
import { BLOCKS } from '../../packages/server/src/interfaces/web/islands/editor/page/formats.ts'
import { pageKeys } from '../../packages/server/src/interfaces/web/islands/editor/page/keys.ts'

/** An editor without a view: keys find the commands that the page has for them. */
class Typist {
  state: EditorState
  constructor(markdown: string) {
    this.state = EditorState.create({ doc: readDocument(markdown) })
    this.#select(Selection.atStart(this.state.doc))
  }

  #select(selection: Selection): this {
    this.state = this.state.apply(this.state.tr.setSelection(selection))
    return this
  }

  /** Puts the caret at the start of the block with this text, or selects the whole of it, as a triple click does. */
  at(text: string, isWhole = false): this {
    let textSelection: Selection | undefined
    this.state.doc.descendants((node, pos) => {
      if (!node.isTextblock || node.textContent !== text) return
      textSelection = TextSelection.create(this.state.doc, pos + 1, pos + 1 + (isWhole ? node.content.size : 0))
    })
    assert.ok(textSelection, `There is a block ${text}`)
    return this.#select(textSelection)
  }

  run(command: Command): this {
    command(this.state, (tr) => {
      this.state = this.state.apply(tr)
    })
    return this
  }

  choose(...names: readonly string[]): this {
    for (const name of names) this.run(BLOCKS.find((each) => each.name === name)?.run ?? assert.fail(name))
    return this
  }

  press(key: string, modifiers: object = {}): this {
    const event = { key, ctrlKey: false, altKey: false, shiftKey: false, metaKey: false, ...modifiers }
    const dispatch = (tr: Transaction) => {
      this.state = this.state.apply(tr)
    }
    const view = { state: this.state, dispatch }
    for (const plugin of pageKeys(
      () => {},
      () => true,
    )) {
      // The commands of keys read no more of the view and of the event.
      if (plugin.props.handleKeyDown?.call(plugin, view as never, event as never)) break
    }
    return this
  }

  type(text: string): this {
    this.state = this.state.apply(this.state.tr.insertText(text))
    return this
  }

  get markdown(): string {
    return writeDocument(this.state.doc)
  }
}

test('a format of an empty line has the caret behind its mark', () => {
  const expected: Readonly<Record<string, string>> = {
    'Heading 1': '# Plans',
    'Heading 2': '## Plans',
    'Heading 3': '### Plans',
    List: '- Plans',
    'Numbered list': '1. Plans',
    Tasks: '- [ ] Plans',
    Quotation: '> Plans',
  }
  for (const [name, markdown] of Object.entries(expected)) {
    assert.equal(new Typist('').choose(name).type('Plans').markdown, `${markdown}\n`, name)
    assert.equal(new Typist('').choose(name, name).type('Plans').markdown, 'Plans\n', `${name} twice`)
  }
})

test('the keys of lists on an empty line do what their buttons do', () => {
  for (const [key, code, markdown] of [
    ['*', 56, '- Plans\n'],
    ['&', 55, '1. Plans\n'],
    ['(', 57, '- [ ] Plans\n'],
  ] as const) {
    const typist = new Typist('').press(key, { keyCode: code, ctrlKey: true, shiftKey: true })
    assert.equal(typist.type('Plans').markdown, markdown)
  }
})

test('formats replace each other and do not stack', () => {
  assert.equal(new Typist('One\n').choose('Heading 2', 'Heading 1').markdown, '# One\n')
  assert.equal(new Typist('item\n').choose('List', 'Tasks').markdown, '- [ ] item\n')
  assert.equal(new Typist('item\n').choose('Tasks', 'Numbered list').markdown, '1. item\n')
  assert.equal(new Typist('# One\n').choose('List').markdown, '- One\n')
})

test('what is typed at the start of a line is its text, and no mark before it', () => {
  assert.equal(new Typist('- [ ] Lunch\n').at('Lunch').type('Great ').markdown, '- [ ] Great Lunch\n')
  assert.equal(new Typist('## Head\n').at('Head').type('My ').markdown, '## My Head\n')
  assert.equal(new Typist('> said\n').at('said').type('He ').markdown, '> He said\n')
})

test('typing over a line that is selected as a whole leaves those around it', () => {
  const tasks = '- [ ] one\n- [x] two\n- [ ] three\n'
  assert.equal(new Typist(tasks).at('two', true).type('new').markdown, tasks.replace('two', 'new'))
  const page = '# Head\n\ntext\n\nmore\n'
  assert.equal(new Typist(page).at('Head', true).type('New').markdown, page.replace('Head', 'New'))
  assert.equal(new Typist(page).at('text', true).type('new').markdown, page.replace('text', 'new'))
})

test('Backspace at the start of a heading makes it text, and at the start of an item ends the item', () => {
  assert.equal(new Typist('## Head\n').at('Head').press('Backspace').markdown, 'Head\n')
  assert.equal(new Typist('text\n\n## Head\n').at('Head').press('Backspace').markdown, 'text\n\nHead\n')
  assert.equal(new Typist('- [ ] one\n').at('one').press('Backspace').markdown, 'one\n')
})

test('Enter begins a paragraph, another item, or a task that is not done; an empty item ends the list', () => {
  const atEnd = (text: string) => {
    const typist = new Typist(text)
    typist.state = typist.state.apply(typist.state.tr.setSelection(Selection.atEnd(typist.state.doc)))
    return typist
  }
  assert.equal(atEnd('one\n').press('Enter').type('two').markdown, 'one\n\ntwo\n')
  assert.equal(atEnd('one\n').press('Enter', { shiftKey: true }).type('two').markdown, 'one\\\ntwo\n')
  assert.equal(atEnd('- [x] one\n').press('Enter').type('two').markdown, '- [x] one\n- [ ] two\n')
  assert.equal(atEnd('- one\n').press('Enter').press('Enter').type('two').markdown, '- one\n\ntwo\n')
})
