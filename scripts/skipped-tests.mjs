/** Reporter for vitest: lists each skipped test with its reason, or says that none is skipped. */
// oxlint-disable-next-line import/no-default-export -- vitest loads reporters this way
export default class SkippedTestsReporter {
  onTestRunEnd(modules) {
    const lines = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => {
        const reason = test.result().note ?? 'the title says why'
        return `  ${module.relativeModuleId}: ${test.fullName} (${reason})`
      }),
    )
    if (lines.length > 0) console.log(['\nSkipped tests:', ...lines].join('\n'))
  }
}
