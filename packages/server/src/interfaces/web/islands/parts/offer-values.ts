import { send } from './api.ts'
import { element, filled } from './dom.ts'

/** Completes the value of a filter with the values that pages have for its key. */
export async function offerValues(input: HTMLInputElement): Promise<void> {
  const key = input.closest('.filter')?.querySelector<HTMLInputElement>('input[name=key]')?.value ?? ''
  if (key === '' || key.startsWith('$')) return
  const response = await send('GET', `/search/metadata/values?limit=100&key=${encodeURIComponent(key)}`)
  if (!response.ok) return
  const { items }: { items: readonly { readonly value: unknown }[] } = await response.json()
  const options = items.map(({ value }) => element('option', { value: formatValue(value) }))
  const list = filled(element('datalist', { id: `values-of-${key}` }), options)
  document.getElementById(list.id)?.remove()
  input.after(list)
  input.setAttribute('list', list.id)
}

/** As it is typed: text that is no JSON as it is, anything else as JSON. */
function formatValue(value: unknown): string {
  try {
    if (typeof value === 'string') JSON.parse(value)
  } catch {
    return String(value)
  }
  return JSON.stringify(value)
}
