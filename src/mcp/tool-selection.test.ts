import { describe, expect, test } from 'vitest'
import { videoSplitScreen } from '../../tools/video-split-screen/contract.ts'
import { allTools, selectTools, type ToolFilter } from './tool-selection.ts'

const all = allTools([videoSplitScreen])
const always = ['get_task', 'answer_questions', 'list_tasks', 'cancel_task', 'service_status']
const files = ['upload_file', 'inspect_file', 'download_file']

function listNames(filter: ToolFilter): string[] {
  return selectTools(all, filter).listed.map(({ name }) => name)
}

describe('selectTools', () => {
  test.each<[ToolFilter, string[]]>([
    [{}, [...all.keys()]],
    [{ toolsets: ['render'] }, ['video_split_screen', ...always]],
    [{ toolsets: ['files'] }, [...files, ...always]],
    [{ toolsets: ['speech', 'clean'] }, always],
    [{ tools: ['inspect_file'] }, ['inspect_file', ...always]],
    [{ toolsets: ['render'], tools: ['upload_file'] }, ['video_split_screen', 'upload_file', ...always]],
    [{ readOnly: true }, ['list_tasks', 'service_status']],
    [{ toolsets: ['render'], tools: ['get_task'], readOnly: true }, ['list_tasks', 'service_status']],
  ])('%j', (filter, expected) => {
    expect(listNames(filter)).toEqual(expected)
  })

  test('an unknown name is rejected with the available names', () => {
    expect(() => selectTools(all, { tools: ['inspect_file', 'video_dance'] })).toThrow(
      expect.objectContaining({
        code: 6016,
        message: 'There is no tool video_dance',
        hint: expect.stringContaining('video_split_screen, upload_file'),
      }),
    )
  })
})
