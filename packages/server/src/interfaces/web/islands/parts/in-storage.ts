/** Undefined if the storage of this browser is disabled or full, or has something else than expected. */
export function inStorage<T>(use: () => T): T | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}

/** What was stored as JSON; undefined as above, or if nothing was. Another release may have stored it. */
export function readStored(key: string, storage: () => Storage = () => localStorage): unknown {
  return inStorage(() => JSON.parse(storage().getItem(key) ?? '')) ?? undefined
}

export function writeStored(key: string, value: unknown, storage: () => Storage = () => localStorage): void {
  inStorage(() => storage().setItem(key, JSON.stringify(value)))
}

const SINGLE_KEYS = 'recto.single-keys'

/** Whether keys act without Ctrl and Alt: who speaks to the computer can switch them off (WCAG 2.1.4). */
export function hasSingleKeys(): boolean {
  return inStorage(() => localStorage.getItem(SINGLE_KEYS)) !== 'off'
}

export function setSingleKeys(isOn: boolean): void {
  inStorage(() => localStorage.setItem(SINGLE_KEYS, isOn ? 'on' : 'off'))
}

/** Whether a key was pressed alone, outside of fields, where keys act. */
export function isSingleKey({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  const isTyping =
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'))
  return !ctrlKey && !metaKey && !altKey && !isTyping && hasSingleKeys()
}
