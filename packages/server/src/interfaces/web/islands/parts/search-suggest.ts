/** Suggestions of a search field: a combobox (WAI-ARIA APG, list autocomplete with manual selection). */
import { readJson } from './api.ts'
import { element } from './dom.ts'
import { nextOption, selectOption } from './listbox.ts'
import { t } from './t.ts'

const WAIT_MS = 80
const SHOWN = 4

interface TitledPage {
  readonly space: string
  readonly path: string
  readonly title: string
  readonly url: string
}

interface Suggestions {
  readonly pages: readonly TitledPage[]
  readonly headings: readonly (TitledPage & { readonly heading: string })[]
  readonly words: readonly string[]
}

interface Option {
  readonly text: string
  readonly place: string
  /** The URL of a page; undefined: a search for the text. */
  readonly url: string | undefined
}

const fields = new WeakMap<HTMLInputElement, SearchField>()

/** Makes a search field a combobox, once. */
export function suggestSearches(input: HTMLInputElement): void {
  if (!fields.has(input)) fields.set(input, new SearchField(input))
}

class SearchField {
  readonly #input: HTMLInputElement
  readonly #list = element('ul', {
    id: `suggestions-${document.querySelectorAll('.suggestions').length}`,
    class: 'suggestions',
    hidden: '',
    role: 'listbox',
    'aria-label': t('Suggestions'),
  })
  readonly #status = element('span', { class: 'visually-hidden', role: 'status' })
  #options: readonly Option[] = []
  #selected = -1
  #requests = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(input: HTMLInputElement) {
    this.#input = input
    Object.assign(input, { role: 'combobox', ariaAutoComplete: 'list', ariaExpanded: 'false' })
    input.setAttribute('aria-controls', this.#list.id)
    input.after(this.#list, this.#status)
    input.addEventListener('input', () => this.#wait())
    input.addEventListener('keydown', (event) => this.#press(event))
    input.addEventListener('blur', () => this.#close())
    // The field keeps the focus, so that the list stays until the click.
    this.#list.addEventListener('mousedown', (event) => event.preventDefault())
    this.#list.addEventListener('click', ({ target }) => {
      const option = target instanceof Element && target.closest('[role="option"]')
      if (option) this.#choose([...this.#list.children].indexOf(option))
    })
  }

  #wait(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#load(), WAIT_MS)
  }

  /** Outdated responses are ignored. */
  async #load(): Promise<void> {
    const request = ++this.#requests
    const options = await optionsFor(this.#input)
    if (request === this.#requests) this.#show(options)
  }

  #press(event: KeyboardEvent): void {
    if (event.isComposing || this.#options.length === 0) return
    const next = nextOption(event.key, this.#selected, this.#options.length)
    if (next !== undefined) this.#select(next)
    else if (event.key === 'Escape') this.#close()
    else if (event.key === 'Enter' && this.#selected >= 0) this.#choose(this.#selected)
    else return
    event.preventDefault()
  }

  #show(options: readonly Option[]): void {
    this.#options = options
    const { id } = this.#list
    this.#list.replaceChildren()
    for (const [index, option] of options.entries()) this.#list.append(optionElement(`${id}-${index}`, option))
    this.#list.hidden = options.length === 0
    this.#input.ariaExpanded = String(options.length > 0)
    this.#status.textContent =
      options.length === 0
        ? ''
        : t('{count, plural, one {# suggestion} other {# suggestions}}', { count: options.length })
    this.#select(-1)
  }

  #select(index: number): void {
    this.#selected = index
    selectOption(this.#input, this.#list, index)
  }

  #close(): void {
    this.#requests++
    clearTimeout(this.#timer)
    this.#show([])
  }

  #choose(index: number): void {
    const option = this.#options[index]
    this.#close()
    if (option?.url !== undefined) {
      const { pathname, hash } = new URL(option.url, location.origin)
      location.assign(pathname + hash)
    } else if (option) {
      this.#input.value = option.text
      this.#input.form?.requestSubmit()
    }
  }
}

/** The options for what is typed, in the space of the form; none if the service cannot be reached. */
async function optionsFor({ value, form }: HTMLInputElement): Promise<readonly Option[]> {
  const space = form?.querySelector<HTMLSelectElement>('[name="space"]')?.value
  if (value.trim() === '') return []
  const query = new URLSearchParams({ q: value.slice(0, 300), limit: String(SHOWN), ...(space && { space }) })
  const suggestions = await readJson<Suggestions>(`/search/suggest?${query}`)
  if (!suggestions) return []
  const { pages, headings, words } = suggestions
  const before = value.slice(0, value.lastIndexOf(' ') + 1)
  return [
    ...words.map((word) => ({ text: before + word, place: t('Search'), url: undefined })),
    ...pages.map(({ title, space, path, url }) => ({ text: title, place: `${space} / ${path}`, url })),
    ...headings.map(({ heading, title, space, url }) => ({ text: heading, place: `${space} / ${title}`, url })),
  ]
}

function optionElement(id: string, { text, place }: Option): HTMLLIElement {
  const name = element('bdi', { class: 'name' }, text)
  return element('li', { id, role: 'option' }, name, ' ', element('bdi', { class: 'quiet' }, place))
}
