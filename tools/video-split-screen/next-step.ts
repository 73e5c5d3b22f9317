import type { NextStepContext } from '../../src/contract/operation.ts'
import { describeArrangement } from '../../src/media/layout/arrangement.ts'
import { findLayout } from '../../src/media/layout/layout.ts'

/** Share of a picture that is cropped without mention. */
const unnoticedCrop = 0.05

/** Parts of a result that the next step describes. */
interface SplitScreenResult {
  readonly duration_ms: number
  readonly layout: {
    readonly layout_id: number
    readonly slots: readonly {
      readonly clip_index: number
      readonly fit_mode: 'cover' | 'contain'
      readonly source_crop: { readonly width: number; readonly height: number }
    }[]
  }
}

/** Returns the instruction after rendering: the layout that was chosen, and what the defaults cut away. */
export function describeLayoutChoices(
  { layout: { layout_id, slots }, duration_ms }: SplitScreenResult,
  { input }: Pick<NextStepContext, 'input'>,
): string {
  const layout = input?.['layout_mode'] === 'template' ? undefined : findLayout(layout_id)
  const choice = layout ? `Layout: ${describeArrangement(layout)} (${layout_id}). ` : ''
  const cropped = slots.filter(
    ({ fit_mode, source_crop: { width, height } }) =>
      fit_mode === 'cover' && width * height < 1 - unnoticedCrop,
  )
  const shares = cropped.map(({ clip_index, source_crop: { width, height } }) => {
    return `clip ${clip_index + 1} shows ${Math.round(width * height * 100)} % of its picture`
  })
  const loss =
    shares.length === 0 ? '' : `Clips are cropped: ${shares.join(', ')}; fit_mode contain crops nothing. `
  return `${choice}${loss}The result ends with the shortest clip, after ${duration_ms / 1000} s.`
}
