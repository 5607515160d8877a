/** Fields for one emoji: those to choose from, by category or by name. */

import { type Gemoji, gemoji } from 'gemoji'
import { button, element } from './parts/dom.ts'
import { t } from './parts/t.ts'

const SHOWN = 120

for (const field of document.querySelectorAll<HTMLElement>('[data-emoji-picker]')) {
  const input = field.querySelector('input')
  if (input) pick(field, input)
}

function pick(field: HTMLElement, input: HTMLInputElement): void {
  const search = element('input', {
    type: 'search',
    class: 'input',
    placeholder: t('Search emoji'),
    autocomplete: 'off',
    maxlength: '40',
    'aria-label': t('Search emoji'),
  })
  const list = element('div', { class: 'emoji-list', role: 'group', 'aria-label': t('Emoji') })
  const status = element('p', { class: 'quiet', role: 'status' })
  const option = ({ emoji, description }: Gemoji) => choice(input, emoji, description)
  const show = () => {
    const matches = named(search.value)
    list.replaceChildren(...matches.map(option))
    status.textContent = matches.length === 0 ? t('No emoji with this name.') : ''
  }
  search.addEventListener('input', show)
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    // Enter chooses the first emoji instead of sending the form.
    event.preventDefault()
    list.querySelector('button')?.click()
  })
  field.append(search, list, status)
  show()
}

function named(typedText: string) {
  const words = typedText.trim().toLowerCase().replaceAll('_', ' ')
  return gemoji
    .filter(({ description, names, tags }) =>
      [description, ...names, ...tags].some((name) => name.replaceAll('_', ' ').includes(words)),
    )
    .slice(0, SHOWN)
}

function choice(input: HTMLInputElement, emoji: string, name: string): HTMLButtonElement {
  const control = button(emoji, 'button plain', () => {
    input.value = emoji
    input.focus()
  })
  return Object.assign(control, { title: name, ariaLabel: name })
}
