import * as z from 'zod'
import { creditsFor } from '../../src/contract/credits.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { InputOf, PlanOperation, RequestFile } from '../../src/contract/operation.ts'
import { readBody } from '../../src/contract/validation.ts'
import {
  formatExactDuration,
  referenceSoundSeconds,
  soundSeconds,
} from '../../src/media/speech/reference-duration.ts'
import { cloneSpeaker, isBurnedIn, maxSourceMinutes, projectInput, videoTranslateDub } from './contract.ts'

export type DubInput = InputOf<typeof videoTranslateDub>

/**
 * Expected seconds of work: start-up; per second of the source for separation, recognition, translation, speech with its
 * check and mixing; per second of video for encoding, where subtitles are burned in or frames may be held; and per second
 * of a reference.
 */
const workSeconds = { start: 20, source: 3, encoding: 0.6, reference: 0.02 }

/** Shortest source from which a voice can be cloned, seconds. */
const shortestCloned = 3

/** Checks the source, the reference, and the fields that only a video has. Prices the duration of the source. */
export const plan: PlanOperation<typeof videoTranslateDub> = (input, files) => {
  const file = files.get(input.file_id)
  const { facts } = checkSource(file)
  const reference = input.ref_file_id === undefined ? undefined : files.get(input.ref_file_id)
  const referenceSeconds = reference ? referenceSoundSeconds(reference) : 0
  if (input.speaker === cloneSpeaker && !reference) checkClonedSource(file)
  const isBurned = isBurnedIn(input.subtitle)
  if (facts.video) checkProjectFields(input)
  else if (isBurned) {
    throw new MediaError(6016, `subtitle: ${file.name} has no picture for ${input.subtitle}`, {
      hint: 'Use subtitle soft or none.',
    })
  }
  const seconds = facts.duration_ms / 1000
  const isEncoded = facts.video !== null && (isBurned || input.fit_policy === 'natural')
  const work =
    workSeconds.start +
    workSeconds.source * seconds +
    (isEncoded ? workSeconds.encoding * seconds : 0) +
    workSeconds.reference * referenceSeconds
  return {
    credits: creditsFor(videoTranslateDub.price, facts.duration_ms),
    seconds: Math.round(10 * work) / 10,
  }
}

/** Facts of a source with sound. Throws 6014 without sound, 6016 if it is too long. */
function checkSource({ name, facts }: RequestFile): { readonly facts: NonNullable<RequestFile['facts']> } {
  if (!facts || facts.audio.length === 0) {
    throw new MediaError(6014, `file_id: ${name} has no sound`, {
      hint: 'Give a video or recording in which someone speaks.',
    })
  }
  if (facts.duration_ms > maxSourceMinutes * 60_000) {
    throw new MediaError(
      6016,
      `file_id: ${name} lasts ${formatExactDuration(facts.duration_ms / 1000)}, more than ${maxSourceMinutes} min`,
      { hint: 'Cut it into parts, and dub each of them.' },
    )
  }
  return { facts }
}

function checkClonedSource(file: RequestFile): void {
  const seconds = soundSeconds(file) ?? 0
  if (seconds >= shortestCloned) return
  const lasts = `${file.name} lasts ${formatExactDuration(seconds)}`
  throw new MediaError(6016, `file_id: ${lasts}, and a voice is cloned from at least ${shortestCloned} s`, {
    hint: 'Give ref_file_id, a recording of the voice, or use a voice of the catalogue as speaker.',
  })
}

const projects = z.object(projectInput)

/**
 * Returns the fields for projects, which only requests with a video read. Throws 6016 for invalid ones: the schema of the
 * request keeps them unchanged, because the kind of the file is not known there.
 */
export function checkProjectFields(input: DubInput): z.output<typeof projects> {
  const { project_formats, source_path, local_output_dir, struct_meta } = input
  return readBody(projects, { project_formats, source_path, local_output_dir, struct_meta }, {})
}
