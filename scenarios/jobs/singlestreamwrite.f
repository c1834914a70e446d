# One thread writes one file from its beginning to its end, a mebibyte at a time.
define file name=large,path=/export/data,size=1g,prealloc,reuse
define process name=writer,instances=1
{
  thread name=writer,memsize=10m,instances=1
  {
    flowop write name=stream,filename=large,iosize=1m,directio=1
  }
}
run 1
