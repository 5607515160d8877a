/** `@` and letters in a comment offer people who can read what it is about (WAI-ARIA APG, listbox combobox). */
import { personUrl } from '../../urls.ts'
import { element } from './dom.ts'
import { nextOption, selectOption } from './listbox.ts'
import { findReaders, type Reader } from './readers.ts'
import { t } from './t.ts'

const TYPED = /(?:^|[\s([])@([\p{L}\p{M}\p{N}._-]{0,40})$/u

const areas = new WeakSet<HTMLTextAreaElement>()

/** Offers people in a text area, once. */
export function offerPeople(area: HTMLTextAreaElement): void {
  if (areas.has(area)) return
  areas.add(area)
  const list = element('ul', {
    id: `people-${area.id}`,
    class: 'suggestions',
    hidden: '',
    role: 'listbox',
    'aria-label': t('People'),
  })
  area.setAttribute('aria-controls', list.id)
  area.setAttribute('aria-autocomplete', 'list')
  area.parentElement?.classList.add('suggested')
  area.after(list)
  let people: readonly Reader[] = []
  let selectedIndex = -1
  let loading = new AbortController()
  const select = (index: number) => {
    selectedIndex = index
    selectOption(area, list, index)
  }
  const show = (readers: readonly Reader[]) => {
    people = readers
    list.replaceChildren()
    for (const [index, { name, kind }] of readers.entries()) {
      const text = kind === 'agent' ? t('{name} (agent)', { name }) : name
      list.append(element('li', { id: `${list.id}-${index}`, role: 'option' }, element('bdi', {}, text)))
    }
    list.hidden = readers.length === 0
    select(readers.length === 0 ? -1 : 0)
  }
  const readTyped = () => TYPED.exec(area.value.slice(0, area.selectionStart))?.[1]
  const load = async () => {
    loading.abort()
    loading = new AbortController()
    const words = readTyped()
    const { space = '', path } = area.closest<HTMLElement>('.threads')?.dataset ?? {}
    const readers = words === undefined ? [] : await findReaders(words, { space, path }, loading.signal)
    if (!loading.signal.aborted && readTyped() === words) show(readers)
  }
  const choose = (index: number) => {
    const person = people[index]
    const typedLength = readTyped()?.length
    show([])
    if (!person || typedLength === undefined) return
    const link = `[@${person.name.replace(/[[\]\\]/g, '\\$&')}](${personUrl(person.id)}) `
    area.setRangeText(link, area.selectionStart - typedLength - 1, area.selectionStart, 'end')
  }
  area.addEventListener('input', () => void load())
  area.addEventListener('blur', () => show([]))
  area.addEventListener('keydown', (event) => {
    if (event.isComposing || people.length === 0) return
    const next = nextOption(event.key, selectedIndex, people.length)
    if (next !== undefined) select(next)
    else if (event.key === 'Escape') show([])
    else if ((event.key === 'Enter' || event.key === 'Tab') && selectedIndex >= 0) choose(selectedIndex)
    else return
    event.preventDefault()
    event.stopPropagation()
  })
  list.addEventListener('mousedown', (event) => event.preventDefault())
  list.addEventListener('click', ({ target }) => {
    const option = target instanceof Element && target.closest('[role="option"]')
    if (option) choose([...list.children].indexOf(option))
  })
  void load()
}
