import { toggleMark } from 'prosemirror-commands'
import { dropCursor } from 'prosemirror-dropcursor'
import { gapCursor } from 'prosemirror-gapcursor'
import { history } from 'prosemirror-history'
import type { Node, Slice } from 'prosemirror-model'
import { type Command, EditorState, NodeSelection, Selection } from 'prosemirror-state'
import { tableEditing } from 'prosemirror-tables'
import { EditorView } from 'prosemirror-view'
import { element } from '../../parts/dom.ts'
import { msg, t } from '../../parts/t.ts'
import { readDocument } from '../document/parse.ts'
import { schema } from '../document/schema.ts'
import { writeDocument } from '../document/write.ts'
import type { Surface, SurfaceOptions } from '../surface.ts'
import { formatButtons } from '../toolbar.ts'
import { BLOCK_ACTIONS, blockHandle } from './block-handle.ts'
import { caretInCode } from './code-view.ts'
import { describeImage, reserveFile, retargetLinks } from './files.ts'
import { BLOCKS, MARKS } from './formats.ts'
import { markdownRules } from './input-rules.ts'
import { INSERTIONS, typeText } from './insertions.ts'
import { pageKeys } from './keys.ts'
import { commandMenu } from './menu.ts'
import { nodeViews } from './node-views.ts'
import { handlePaste, rememberCopy } from './paste.ts'
import { latePlaces } from './places.ts'
import { caretOffset, selectOffset } from './positions.ts'
import { createRenderer } from './rendering.ts'
import { selectionBar } from './selection-bar.ts'
import { OPEN_SOURCE } from './source-view.ts'
import { suggestionList } from './suggestion-list.ts'
import { tableMenu } from './table-menu.ts'

const KEYS = [
  [msg('/ at the start of a line'), msg('Insert a heading, list, table, block of code and more')],
  ['@', msg('Link to a member of the space')],
  [':', msg('Emoji by name, such as :wave')],
  ['{ctrl} Shift V', msg('Paste the text alone')],
  ['{ctrl} Shift 8', msg('List')],
  [msg('Tab, Shift Tab in a table'), msg('Next and previous cell')],
  [
    '## · - · 1. · [ ] · > · ```',
    msg('Begin a heading, a list, a task, a quotation, code; Backspace makes it text again'),
  ],
  ['Enter · Shift Enter', msg('New paragraph, new line')],
  [msg('Tab · Shift Tab in a list'), msg('Move an item below the one before it, or out')],
  [msg('Enter in a table'), msg('Next row; in an empty last row, leave the table')],
  ['{ctrl} Enter', msg('Tick the task, or leave the code')],
  [msg('{ctrl} Alt 0 to 3'), msg('Text, heading 1 to 3')],
  ['{ctrl} K', msg('Link')],
  ['Alt ↑ · Alt ↓', msg('Move the block')],
  ['{ctrl} Shift D', msg('Duplicate the block')],
] as const

/** Of more blocks the browser lays out and draws those in view. */
const MANY_BLOCKS = 300

/** The page as it will be read, in ProseMirror. What is not changed keeps its bytes. */
export function openPage(options: SurfaceOptions, doc: Node): Surface {
  const { plugin: bar, askLink } = selectionBar()
  const dom = element('div', { class: doc.childCount > MANY_BLOCKS ? 'page-text many-blocks' : 'page-text' })
  dom.style.setProperty('--placeholder', JSON.stringify(t('Write, or type / for blocks')))
  let isPlainPaste = false
  const view: EditorView = new EditorView(dom, {
    state: EditorState.create({
      doc,
      selection: selectOffset(doc, 0),
      plugins: [
        markdownRules,
        suggestionList(options.space),
        ...pageKeys(options.onSave, askLink),
        history(),
        dropCursor({ class: 'drop-cursor', color: false }),
        gapCursor(),
        tableEditing(),
        latePlaces,
        caretInCode,
        bar,
        blockHandle,
      ],
    }),
    attributes: {
      id: 'editor-text',
      class: 'prose',
      role: 'textbox',
      'aria-multiline': 'true',
      'aria-label': t('Text of the page'),
      spellcheck: 'true',
      autocapitalize: 'sentences',
      dir: 'auto',
      // It is focusable anyway; accessibility checkers need the attribute.
      tabindex: '0',
    },
    nodeViews: nodeViews(options, createRenderer(options.previewUrl)),
    dispatchTransaction(tr) {
      view.updateState(view.state.apply(tr))
      if (tr.docChanged) options.onChange()
    },
    clipboardTextSerializer: (slice) => rememberCopy(slice, copyText(slice)),
    handleDOMEvents: {
      keydown(_, { key, shiftKey }) {
        isPlainPaste = shiftKey && key.toLowerCase() === 'v'
        return false
      },
      paste: (_, event) => handlePaste(view, event, isPlainPaste),
    },
    handleKeyDown: (_, { key }) => key === 'Enter' && openSelected(view),
    handleClick: (_view, _pos, event) => followLink(event) || writeBelow(view, event),
  })
  const run = (command: Command) => () => {
    command(view.state, view.dispatch, view)
    view.focus()
  }
  /** Without a selection a page is asked for. */
  const linkSelection = () => {
    if (!askLink(view.state, view.dispatch, view)) run(typeText('[['))()
  }
  return {
    dom,
    tools: [
      ...formatButtons([
        ...MARKS.map(({ type, ...format }) => ({ ...format, run: run(toggleMark(type)) })),
        { name: msg('Link'), icon: 'link', key: 'Mod-k', run: linkSelection },
      ]),
      commandMenu(view, {
        name: msg('Text'),
        icon: 'text',
        title: msg('What the block is'),
        items: BLOCKS.map(({ name, run: command }) => [name, command] as const),
      }),
      commandMenu(view, {
        name: msg('Insert'),
        icon: 'plus',
        title: msg('Insert a table, note, diagram and more'),
        items: INSERTIONS.map(({ name, run: command }) => [name, command] as const),
      }),
      tableMenu(view),
      commandMenu(view, {
        name: msg('Block'),
        icon: 'block',
        title: msg('Move, duplicate or delete the block'),
        items: BLOCK_ACTIONS,
      }),
      // A phone shows the menus first, which have these too.
      ...formatButtons(
        BLOCKS.flatMap(({ icon, ...format }) =>
          icon === undefined ? [] : [{ ...format, icon, run: run(format.run) }],
        ),
      ),
    ],
    keys: KEYS,
    text: () => writeDocument(view.state.doc),
    replaceText(text) {
      const { tr, doc: present } = view.state
      const newDoc = readDocument(text)
      tr.replaceWith(0, present.content.size, newDoc.content).setDocAttribute('source', newDoc.attrs.source)
      view.dispatch(tr)
    },
    caret: () => caretOffset(view.state),
    placeCaret(offset) {
      const { tr, doc: present } = view.state
      view.dispatch(tr.setSelection(selectOffset(present, offset)).scrollIntoView())
    },
    showCaret: () => view.dispatch(view.state.tr.scrollIntoView()),
    focus: () => view.focus(),
    hasFocus: () => view.hasFocus(),
    reserve: (point, isSeparate) => reserveFile(view, point, isSeparate),
    describe: (target, description) => describeImage(view, target, description),
    retarget: (before, after) => retargetLinks(view, before, after),
    refresh() {
      // The page is its own preview.
    },
    close() {
      view.destroy()
      dom.remove()
    },
  }
}

/** Blocks are copied as Markdown, a part of one as its text. */
function copyText({ content }: Slice): string {
  const isText = content.childCount === 1 && content.firstChild?.isTextblock
  const doc = isText ? null : schema.topNodeType.createAndFill(null, content)
  return doc ? writeDocument(doc) : content.textBetween(0, content.size, '\n')
}

/** Enter opens the source of what is selected. */
function openSelected(view: EditorView): boolean {
  const { selection } = view.state
  if (!(selection instanceof NodeSelection)) return false
  if (!('text' in selection.node.attrs)) return false
  view.nodeDOM(selection.from)?.dispatchEvent(new Event(OPEN_SOURCE))
  return true
}

/** A click with Ctrl follows a link. */
function followLink({ target, ctrlKey, metaKey }: MouseEvent): boolean {
  const link = target instanceof Element ? target.closest('a') : null
  if (!link?.href || !(ctrlKey || metaKey)) return false
  open(link.href, '_blank', 'noopener')
  return true
}

/** A click below the last block, if that is no paragraph, begins one. */
function writeBelow(view: EditorView, { clientY }: MouseEvent): boolean {
  const { tr, doc } = view.state
  const end = doc.content.size
  const lastBlock = view.nodeDOM(end - (doc.lastChild?.nodeSize ?? 0))
  if (doc.lastChild?.type === schema.nodes.paragraph || !(lastBlock instanceof Element)) return false
  if (clientY <= lastBlock.getBoundingClientRect().bottom) return false
  tr.insert(end, schema.nodes.paragraph.create())
  view.dispatch(tr.setSelection(Selection.atEnd(tr.doc)).scrollIntoView())
  return true
}
