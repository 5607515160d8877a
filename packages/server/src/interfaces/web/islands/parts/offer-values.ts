import { readJson } from './api.ts'
import { element, filled } from './dom.ts'

/** Completes the value of a filter with the values that pages have for its key. */
export async function offerValues(input: HTMLInputElement): Promise<void> {
  const key = input.closest('.filter')?.querySelector<HTMLInputElement>('input[name=key]')?.value ?? ''
  if (key === '' || key.startsWith('$')) return
  const url = `/search/metadata/values?limit=100&key=${encodeURIComponent(key)}`
  const list = await readJson<{ items: readonly { readonly value: unknown }[] }>(url)
  if (!list) return
  const options = list.items.map(({ value }) => element('option', { value: formatValue(value) }))
  const datalist = filled(element('datalist', { id: `values-of-${key}` }), options)
  document.getElementById(datalist.id)?.remove()
  input.after(datalist)
  input.setAttribute('list', datalist.id)
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
