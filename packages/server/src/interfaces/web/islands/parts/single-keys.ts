import { inStorage } from './in-storage.ts'

const NAME = 'recto.single-keys'

/** Whether keys act without Ctrl and Alt: who speaks to the computer can switch them off (WCAG 2.1.4). */
export function hasSingleKeys(): boolean {
  return inStorage(() => localStorage.getItem(NAME)) !== 'off'
}

export function setSingleKeys(isOn: boolean): void {
  inStorage(() => localStorage.setItem(NAME, isOn ? 'on' : 'off'))
}
