import { attachmentMarkdown, markdownTarget, urlTarget } from '@recto/lib/attachment.ts'
import type { EditorState } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import { personUrl } from '../../../urls.ts'
import { findReaders } from '../../parts/readers.ts'
import { t } from '../../parts/t.ts'
import { schema } from '../document/schema.ts'
import { findFiles, findPages, loadEmoji, type SpaceFile } from '../suggestions.ts'
import { SLASH_INSERTIONS } from './insertions.ts'
import { insertLink, insertMarkdown } from './paste.ts'

/** One thing that can be put in place of what was typed. */
export interface Suggestion {
  readonly label: string
  readonly detail?: string
  readonly apply: (view: EditorView) => void
}

type Load = (words: string, space: string, signal: AbortSignal) => Promise<readonly Suggestion[]>

/** What is typed before the caret, and what it offers. The first group is replaced, the second is searched for. */
const TRIGGERS: readonly (readonly [pattern: RegExp, load: Load])[] = [
  [/^(\/([\p{L}\d ]{0,20}))$/u, suggestBlocks],
  [/(!\[\[([^\][\n]{0,200}))$/, suggestFiles],
  [/(\[\[([^\][\n]{0,200}))$/, suggestPages],
  // Two letters at least: a colon is also punctuation.
  [/(?:^|[\s([])(:([a-z0-9_+-]{2,30}))$/, suggestEmoji],
  [/(?:^|[\s([])(@([\p{L}\p{M}\p{N}._-]{0,40}))$/u, suggestPeople],
]
const MAX_EMOJI = 20

/** What the text before the caret asks for; code means itself. */
export function findTrigger({ selection, doc }: EditorState) {
  const { $from, empty, from } = selection
  if (!empty || !$from.parent.inlineContent || $from.parent.type.spec.code) return undefined
  if (schema.marks.code.isInSet($from.marks())) return undefined
  const before = doc.textBetween($from.start(), from, undefined, '\ufffc')
  for (const [pattern, load] of TRIGGERS) {
    const [, typedText, words = ''] = pattern.exec(before) ?? []
    if (typedText !== undefined) return { from: from - typedText.length, to: from, words, load }
  }
  return undefined
}

async function suggestBlocks(words: string): Promise<readonly Suggestion[]> {
  return SLASH_INSERTIONS.map(({ name, sign, run }): Suggestion => {
    return { label: t(name), detail: sign, apply: (view) => run(view.state, view.dispatch, view) }
  }).filter(({ label }) => label.toLowerCase().includes(words.toLowerCase()))
}

async function suggestPages(words: string, space: string, signal: AbortSignal): Promise<readonly Suggestion[]> {
  const pages = await findPages(words, space, signal)
  return pages.map((page) => ({
    label: page.title,
    detail: `${page.space}/${page.path}`,
    apply: (view) => insertLink(view, page.title, urlTarget(page.url)),
  }))
}

async function suggestFiles(words: string, space: string, signal: AbortSignal): Promise<readonly Suggestion[]> {
  const files = await findFiles(words, space, signal)
  return files.map((file) => ({ label: file.path, apply: (view) => insertMarkdown(view, fileMarkdown(file)) }))
}

function fileMarkdown({ path, url, contentType }: SpaceFile): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return attachmentMarkdown({ contentType, name, target: markdownTarget(new URL(url, location.href).pathname) })
}

async function suggestEmoji(words: string): Promise<readonly Suggestion[]> {
  const emoji = (await loadEmoji()).filter(([name]) => name.includes(words))
  emoji.sort(([a], [b]) => Number(b.startsWith(words)) - Number(a.startsWith(words)))
  return emoji.slice(0, MAX_EMOJI).map(([name, sign]) => ({ label: `${sign} ${name}`, apply: insertText(sign) }))
}

/** Those who can read the page: others would not be told. A new page is read as its space. */
async function suggestPeople(words: string, space: string, signal: AbortSignal): Promise<readonly Suggestion[]> {
  const { path } = document.querySelector<HTMLFormElement>('form.editor')?.dataset ?? {}
  const people = await findReaders(words, { space, path }, signal)
  return people.map(({ id, name, kind }) => ({
    label: name,
    ...(kind === 'agent' && { detail: t('agent') }),
    apply: (view) => insertLink(view, `@${name}`, personUrl(id)),
  }))
}

function insertText(text: string): (view: EditorView) => void {
  return (view) => view.dispatch(view.state.tr.insertText(text).scrollIntoView())
}
