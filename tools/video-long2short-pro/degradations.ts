import type { OutputOf } from '../../src/contract/operation.ts'
import { failureReason } from '../../src/engines/failure-reason.ts'
import type { videoLong2shortPro } from './contract.ts'

type Output = OutputOf<typeof videoLong2shortPro>

/** A step that may fail without failing the task. */
export type PolishStep = keyof Output['errors']

/** Steps that failed or were done in a simpler way, with their reasons. */
export class Degradations {
  readonly #signal: AbortSignal
  /** Clips by reason by step. */
  readonly #reasons = new Map<PolishStep, Map<string, number[]>>()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Records why a step of a clip, counted from 1, was left out or done in a simpler way. */
  add(step: PolishStep, clip: number, reason: string): void {
    const reasons = this.#reasons.get(step) ?? new Map<string, number[]>()
    this.#reasons.set(step, reasons)
    reasons.set(reason, [...new Set([...(reasons.get(reason) ?? []), clip])])
  }

  /** Runs a step of clips. If it fails, records the reason and returns undefined; only an abort and bugs are thrown. */
  async attempt<T>(
    step: PolishStep,
    clips: readonly number[],
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      const reason = this.reasonOf(error)
      for (const clip of clips) this.add(step, clip, reason)
      return undefined
    }
  }

  /** Returns the reason of a failure for the user. Throws what ends the attempt: an abort, or a bug. */
  reasonOf(error: unknown): string {
    return failureReason(error, this.#signal)
  }

  /** Reasons by step: of all clips, or with the clips they concern. `count`: number of clips. */
  errors(count: number): Output['errors'] {
    return Object.fromEntries(
      [...this.#reasons].map(([step, reasons]) => {
        const texts = [...reasons].map(([reason, clips]) =>
          clips.length === count ? reason : `${clips.map((clip) => `clip${clip}`).join(', ')}: ${reason}`,
        )
        return [step, texts.join('; ')]
      }),
    )
  }

  /** Steps by clip. */
  items(): Output['report']['degraded_items'] {
    const items = new Map<number, PolishStep[]>()
    for (const [step, reasons] of this.#reasons) {
      for (const clip of new Set([...reasons.values()].flat()))
        items.set(clip, [...(items.get(clip) ?? []), step])
    }
    const ordered = [...items].toSorted(([one], [other]) => one - other)
    return Object.fromEntries(ordered.map(([clip, steps]) => [`clip${clip}`, steps]))
  }
}
