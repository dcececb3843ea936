"""The main operations on workflows through the official SDK; prints ok when all came back as they should."""
import sys
import time

from mistralai.client import Mistral

url, key = sys.argv[1], sys.argv[2]
workflows = Mistral(server_url=url, api_key=key).workflows

assert workflows.get_workflow(workflow_identifier="greet").workflow.active
ran = workflows.execute_workflow(workflow_identifier="greet", input={"name": "Py"}, wait_for_result=True)
assert ran.result == "Hello, Py", ran
started = workflows.execute_workflow(workflow_identifier="listen", input={})
id = started.execution_id
workflows.executions.signal_workflow_execution(execution_id=id, name="go", input={"x": 1})
for _ in range(200):
    execution = workflows.executions.get_workflow_execution(execution_id=id)
    if execution.status == "COMPLETED":
        break
    time.sleep(0.05)
assert execution.result == {"x": 1}, execution
events = workflows.events.get_workflow_events(root_workflow_exec_id=id).events
streamed = [frame.data.data for frame in workflows.events.get_stream_events(root_workflow_exec_id=id)]
assert [event.event_type for event in streamed] == [event.event_type for event in events], streamed
assert events[-1].event_type == "WORKFLOW_EXECUTION_COMPLETED"
schedule = workflows.schedules.schedule_workflow(
    workflow_identifier="greet", schedule={"input": {"name": "all"}, "cron_expressions": ["0 7 * * *"]}
)
assert workflows.schedules.get_schedule(schedule_id=schedule.schedule_id).workflow_name == "greet"
workflows.schedules.unschedule_workflow(schedule_id=schedule.schedule_id)
[deployment] = workflows.deployments.list_deployments().deployments
assert deployment.last_heartbeat == deployment.updated_at
detail = workflows.deployments.get_deployment(name=deployment.name)
[worker] = workflows.deployments.list_deployment_workers(name=deployment.name).workers
assert [one.last_heartbeat for one in detail.workers] == [worker.last_heartbeat]
print("ok")
