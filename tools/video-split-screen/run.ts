import { join } from 'node:path'
import type { OutputOf, RunOperation } from '../../src/contract/operation.ts'
import type { Rect, Size } from '../../src/media/geometry.ts'
import { canvasSize, gapPixels } from '../../src/media/layout/canvas.ts'
import { fnv1a, slotRects } from '../../src/media/layout/layout.ts'
import type { videoSplitScreen } from './contract.ts'
import { checkLastPictures, encodeSplitScreen } from './encode.ts'
import { type ClipPlacement, placeClip } from './picture.ts'
import { splitScreenSeconds } from './plan.ts'
import {
  hdrClipNames,
  outputRate,
  selectClips,
  type SelectedClip,
  selectLayout,
  selectSeed,
  shortestMs,
} from './selection.ts'

/** Composes all clips into one picture with one filter graph and one encoding. */
export const run: RunOperation<typeof videoSplitScreen> = async (input, context) => {
  const clips = selectClips(input, context.files)
  await checkLastPictures(clips, context.signal)
  const seed = selectSeed(input, clips, taskSeed(context.taskId))
  const layout = selectLayout(input, clips, seed)
  const canvas = canvasSize(input.output_ratio, input.quality)
  const rects = slotRects(layout, canvas, { gap: gapPixels(canvas, input.gap_ratio), step: 2 })
  const placedClips = rects.flatMap((rect, index) => {
    const clip = clips[index]
    return clip ? [{ clip, rect, picture: placeClip(clip, rect, input.fit_mode) }] : []
  })
  const durationMs = shortestMs(clips)

  const path = join(context.scratch, 'split-screen.mp4')
  const screen = {
    clips,
    pictures: placedClips.map(({ picture }) => picture),
    canvas,
    rate: outputRate(clips.map(({ video }) => video)),
    durationMs,
    background: input.background_color,
    audio: input.audio_mode,
  }
  const expectedSeconds = splitScreenSeconds(input, clips)
  const soundNotes = await encodeSplitScreen(screen, context, { path, expectedSeconds })

  const notes = [
    ...hdrClipNames(clips).map((name) => `${name} is HDR; it was tone-mapped to standard range (bt709)`),
    ...soundNotes,
  ]
  const shape = input.output_ratio.replace(':', 'x')
  return {
    version: 'video_split_screen.v1',
    ...context.keep({ path, name: `split-screen-${clips.length}-clips-${shape}.mp4` }),
    duration_ms: durationMs,
    ...canvas,
    ...(notes.length > 0 ? { notes } : {}),
    layout: {
      layout_id: layout.id,
      equivalence_key: layout.equivalenceKey,
      random_seed: seed,
      slots: resultSlots(placedClips, { canvas, order: layout.order, fit: input.fit_mode }),
    },
  }
}

/** Returns the default seed. It is derived from the task id, so that a retry selects the same layout. */
function taskSeed(taskId: string): number {
  return fnv1a(taskId) % 2 ** 31
}

/** A clip in its slot. */
interface PlacedClip {
  readonly clip: SelectedClip
  /** The slot, pixels of the result. */
  readonly rect: Rect
  readonly picture: ClipPlacement
}

interface ResultSlotsOptions {
  readonly canvas: Size
  /** Slot index of each clip. */
  readonly order: readonly number[]
  readonly fit: 'cover' | 'contain'
}

/** Returns the slots of the result (contract 2, 2.3b), sorted by slot_index. */
function resultSlots(
  placedClips: readonly PlacedClip[],
  { canvas, order, fit }: ResultSlotsOptions,
): OutputOf<typeof videoSplitScreen>['layout']['slots'] {
  return placedClips
    .map(({ clip, rect, picture }, index) => ({
      slot_index: order[index] ?? index,
      clip_index: index,
      file_id: clip.file.file_id,
      begin_time_ms: clip.beginMs,
      end_time_ms: clip.endMs,
      source_crop: picture.sourceCrop,
      destination_rect: {
        x: rect.x / canvas.width,
        y: rect.y / canvas.height,
        width: rect.width / canvas.width,
        height: rect.height / canvas.height,
      },
      fit_mode: fit,
    }))
    .toSorted((one, other) => one.slot_index - other.slot_index)
}
