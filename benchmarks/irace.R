# irace on a loss that another process computes: Rscript irace.R PORT INSTANCES EXPERIMENTS LOW HIGH SEED
# For each run, the instance and the value are sent as a line; the answer is the loss. What is found is sent at the end.
suppressPackageStartupMessages(library(irace))
given <- as.numeric(commandArgs(trailingOnly = TRUE))
connection <- socketConnection("127.0.0.1", given[1], open = "r+", blocking = TRUE, timeout = 3600)
send <- function(...) writeLines(paste(...), connection)
lose <- function(experiment, scenario) {
  send(experiment$id.instance, format(experiment$configuration[["x"]], digits = 17))
  list(cost = as.numeric(readLines(connection, n = 1)))
}
line <- sprintf('x "" r,log (%.17g, %.17g)\n', given[4], given[5])
parameters <- readParameters(text = line, digits = 15)
scenario <- list(
  targetRunner = lose, instances = seq_len(given[2]), maxExperiments = given[3], seed = given[6],
  firstTest = min(5, given[2]), deterministic = TRUE, digits = 15, logFile = ""
)
found <- irace(scenario = checkScenario(scenario), parameters = parameters)
send("found", format(found[["x"]][1], digits = 17))
close(connection)
