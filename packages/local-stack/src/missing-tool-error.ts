export class MissingToolError extends Error {
  constructor(tool: string) {
    super(
      `${tool} is needed to run the engines without Docker, and was not found.\n` +
        'Install Java 17 or newer and Maven (Debian, Ubuntu: apt-get install openjdk-17-jre-headless maven; ' +
        'macOS: brew install openjdk@17 maven),\nor run the engines with Docker instead: docker compose up',
    )
    this.name = 'MissingToolError'
  }
}
