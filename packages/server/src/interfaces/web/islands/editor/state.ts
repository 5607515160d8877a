import { autocompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown'
import { Language, LanguageSupport, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, Prec } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, keymap } from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import { MarkdownParser } from '@lezer/markdown'
import { msg, t } from '../parts/t.ts'
import { completeLinks } from './complete-links.ts'
import { conflictMarkers, conflicts, hasConflict } from './conflicts.ts'
import { continueList } from './continue-list.ts'
import { direction } from './direction.ts'
import { formatKeys } from './format.ts'
import { pasteLinks } from './paste-links.ts'

export interface EditorOptions {
  readonly space: string
  readonly nonce: string
  /** What depends on the page. */
  readonly extensions: Extension
  readonly onChange: () => void
  readonly onSave: () => void
}

/** What CodeMirror says itself. */
const PHRASES = [
  msg('Find'),
  msg('Replace'),
  msg('next'),
  msg('previous'),
  msg('all'),
  msg('match case'),
  msg('regexp'),
  msg('by word'),
  msg('replace'),
  msg('replace all'),
  msg('close'),
  msg('current match'),
  msg('replaced $ matches'),
  msg('replaced match on line $'),
  msg('on line'),
  msg('Go to line'),
  msg('go'),
  msg('Selection deleted'),
  msg('Completions'),
  msg('Control character'),
]

/** The state of a CodeMirror editor with a text and all extensions. */
export function editorState(text: string, options: EditorOptions): EditorState {
  const { nonce, onChange } = options
  return EditorState.create({
    doc: text,
    extensions: [
      EditorView.cspNonce.of(nonce),
      attributes(),
      EditorView.lineWrapping,
      highlightSpecialChars(),
      history(),
      drawSelection(),
      EditorState.allowMultipleSelections.of(true),
      // Not `markdown()`, which bundles the parsers of HTML, CSS and JavaScript.
      new LanguageSupport(chooseLanguage(text)),
      syntaxHighlighting(classHighlighter),
      highlightSelectionMatches(),
      search({ top: true }),
      EditorState.phrases.of(Object.fromEntries(PHRASES.map((phrase) => [phrase, t(phrase)]))),
      autocompletion({ override: [completeLinks(options.space)], icons: false }),
      options.extensions,
      pasteLinks,
      conflicts,
      direction,
      keys(options.onSave),
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged) onChange()
      }),
    ],
  })
}

const attributes = () =>
  EditorView.contentAttributes.of({
    'aria-label': t('Markdown of the page'),
    spellcheck: 'true',
    autocapitalize: 'sentences',
    id: 'editor-text',
    // It is focusable anyway; accessibility checkers need the attribute.
    tabindex: '0',
  })

function keys(onSave: () => void): Extension {
  const save = () => {
    onSave()
    return true
  }
  return [
    Prec.high(keymap.of([{ key: 'Mod-s', run: save, preventDefault: true }, ...formatKeys])),
    keymap.of([
      ...completionKeymap,
      { key: 'Enter', run: continueList },
      ...markdownKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
      // Escape, then Tab leaves the editor: no keyboard trap (WCAG 2.1.2).
      indentWithTab,
    ]),
  ]
}

/** Markdown; that of an unfinished merge has conflict markers. */
function chooseLanguage(text: string): Language {
  const { data, parser } = markdownLanguage
  if (!hasConflict(text) || !(parser instanceof MarkdownParser)) return markdownLanguage
  return new Language(data, parser.configure(conflictMarkers))
}
