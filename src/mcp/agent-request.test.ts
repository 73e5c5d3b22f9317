import { expect, test } from 'vitest'
import { operations } from '../../tools/index.ts'
import { MediaError } from '../contract/errors.ts'
import { toContractRequest, withCallNames } from './agent-request.ts'
import type { Session } from './session.ts'

function operationNamed(name: string) {
  const found = operations.find(({ operation }) => operation.name === name)
  if (!found) throw new Error(`there is no operation ${name}`)
  return found.operation
}

/** A session whose use fails: nothing may be opened or uploaded. */
const unusable = new Proxy({} as Session, {
  get: (_target, name) => expect.unreachable(`session.${String(name)} was used`),
})

const context = { signal: new AbortController().signal, progress: () => undefined }

test.each<[string, Record<string, unknown>, number, RegExp]>([
  ['video_timeline_render', { clips: [{ material: 'a.mp4' }], video_size: [1921, 1080] }, 6016, /video_size/],
  ['video_timeline_render', { clips: [{ material: 'a.mp4' }], duration: -1 }, 6016, /duration/],
  ['video_timeline_render', { clips: [{ material: 'a.mp4' }], video_track: [] }, 6016, /clips: cannot be/],
  ['video_timeline_render', { video_rate: 25 }, 6013, /Required: clips/],
  [
    'video_purify',
    { file_id: 'a.mp4', regions_file_id: 'list.json', keep_ids: ['a'], remove_ids: ['b'] },
    6016,
    /keep_ids: cannot be combined/,
  ],
  [
    'video_purify',
    { file_id: 'a.mp4', regions_file_id: 'list.json', keep_ids: ['a'], purify_func_type: 'x' },
    6016,
    /purify_func_type/,
  ],
  [
    'video_split_screen',
    { clips: ['a.mp4', 'b.mp4'], layout_mode: 'rows', layout_id: 'columns' },
    6016,
    /layout_id: "columns" is not the layout/,
  ],
  ['video_split_screen', { clips: [], layout_id: 'spiral' }, 6016, /layout_id: "spiral" is not a layout/],
  ['video_split_screen', { clips: [], layout_mode: 'spiral' }, 6016, /layout_mode: .*columns/],
])('%s rejects %j before it opens a file', async (name, args, code, message) => {
  const converting = toContractRequest(unusable, { operation: operationNamed(name), args }, context)
  await expect(converting).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
})

const shots = (count: number) => Array.from({ length: count }, () => ({ file_id: 'a.mp4' }))

test.each<[object, object]>([
  [{ layout_mode: 'columns' }, { layout_mode: 'template', layout_id: 350_100 }],
  [
    { layout_mode: 'rows', layout_id: 300_100 },
    { layout_mode: 'template', layout_id: 300_100 },
  ],
  [
    { layout_mode: 'rows', layout_id: 'stacked' },
    { layout_mode: 'template', layout_id: 300_100 },
  ],
  [{ layout_id: 'Top-and-Bottom' }, { layout_mode: 'template', layout_id: 300_100 }],
  [
    { layout_mode: 'template', layout_id: 'left and right' },
    { layout_mode: 'template', layout_id: 350_100 },
  ],
  [{ layout_mode: 'auto' }, { layout_mode: 'auto' }],
  [{ layout_id: 350_400 }, { layout_id: 350_400 }],
])('a layout by name is its id: %j', async (named, layout) => {
  const args = { clips: shots(3), ...named }
  const converted = await toContractRequest(
    unusable,
    { operation: operationNamed('video_split_screen'), args },
    context,
  )
  expect(converted.request).toEqual({ clips: shots(3), ...layout })
})

test('a layout by name has four clips, and five are too many', async () => {
  const convert = (count: number) => {
    const args = { clips: shots(count), layout_mode: 'columns' }
    return toContractRequest(unusable, { operation: operationNamed('video_split_screen'), args }, context)
  }
  expect((await convert(4)).request).toMatchObject({ layout_id: 450_200 })
  await expect(convert(5)).rejects.toThrow('layout_mode: there is no layout of 5 columns, only of 2 to 4')
  // The rule of the clips rejects these.
  expect((await convert(1)).request).toMatchObject({ clips: shots(1), layout_id: 1 })
})

test('errors name the fields of the call, with the same code and a fix', () => {
  const operation = operationNamed('video_timeline_render')
  const args = { clips: [{ material: 'a.mp4' }] }
  const error = new MediaError(6016, 'video_track[0].track_timeline[0].clip_ed: 9 s', {
    hint: 'Set video_track[0].track_timeline[0].clip_ed to 4.',
  })
  expect(withCallNames(error, { operation, args })).toMatchObject({
    ...{ code: 6016, message: 'clips[0].clip_ed: 9 s', hint: 'Set clips[0].clip_ed to 4.' },
  })
  expect(withCallNames(error, { operation, args: {} })).toBe(error)
})
